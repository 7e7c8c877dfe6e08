/** The server's default is 1 MiB; above this one it warns, and in future may refuse (server/const.go). */
export const MAX_PAYLOAD_BYTES = 8 * 1024 * 1024;
