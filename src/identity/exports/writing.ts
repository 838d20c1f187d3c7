/** Replaces all characters except letters, digits, _ and -, so that the text is safe in file names and headers. */
export const plainName = (text: string): string => text.replaceAll(/[^\w-]+/g, '-').replaceAll(/^-+|-+$/g, '') || 'x'

/** Writes a JSON array item by item. */
export async function* writeList<T>(items: AsyncIterable<T>, write: (item: T) => Iterable<string> = writeItem) {
  let isFirst = true
  for await (const item of items) {
    yield isFirst ? '[\n' : ',\n'
    yield* write(item)
    isFirst = false
  }
  yield isFirst ? '[]\n' : '\n]\n'
}

const writeItem = (item: unknown): Iterable<string> => [JSON.stringify(item)]

const PIECE_LENGTH = 64 * 1024

/** Splits a text into pieces. Never splits a surrogate pair, because half a pair cannot be encoded as UTF-8. */
export function* piecesOf(text: string, length = PIECE_LENGTH): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const last = text.charCodeAt(start + length - 1)
    const end = start + length + (last >= 0xd800 && last <= 0xdbff ? 1 : 0)
    yield text.slice(start, end)
    start = end
  }
}
