/**
 * SQL: a limit in bytes; null if the session has none (shares/shares.ts). The function `share_room` reads the same
 * settings.
 */
export const shareLimit = (of: 'person' | 'app'): string =>
  `nullif(current_setting('groundschool.${of}_bytes', true), '')::bigint`
