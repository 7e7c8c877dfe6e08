// Conversion factors between units.

export const NS_PER_US = 1_000;
export const NS_PER_MS = 1_000_000;
export const NS_PER_S = 1_000_000_000;
export const US_PER_MS = 1_000;
export const US_PER_S = 1_000_000;
export const MS_PER_S = 1_000;
export const MS_PER_MINUTE = 60_000;
export const KIB = 1_024;
export const MIB = 1_024 * KIB;
