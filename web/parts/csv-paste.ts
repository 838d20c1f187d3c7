/** Turns pasted text into CSV. Spreadsheets copy cells with tabs between them. */
export const csvFromPaste = (text: string): string =>
  text.includes('\t')
    ? text
        .split(/\r?\n/)
        .map((line) =>
          line
            .split('\t')
            .map((cell) => (/[",]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
            .join(','),
        )
        .join('\n')
    : text
