// Times of waiting, for people: rounded to what one would say.

/** @param {number} ms @returns {string} '45 s', '3 min 20 s', '2 h 5 min' */
export function durationText(ms) {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
