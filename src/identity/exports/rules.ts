import { plainName } from './writing.ts'

export const fileNameOf = (handle: string, at: Date): string =>
  `groundschool-${plainName(handle)}-${at.toISOString().slice(0, 10)}.zip`

export interface DescribedFile {
  readonly file: string
  readonly about: string
}

/** Returns the text of the README in the zip file. */
export function describeFiles(handle: string, at: Date, files: readonly DescribedFile[]): string {
  const width = Math.max(...files.map(({ file }) => file.length))
  const lines = files.map(({ file, about }) => `${file.padEnd(width)}  ${about}`)
  return `Everything that this platform keeps about ${handle}, as of ${at.toISOString()}.
Things may have changed while it was written.

${lines.join('\n')}

Dates are in UTC. A user id is what one app knows you by; each app has another one.

Not in here:
- what only protects you: the hash of your password, tokens, keys, one-time codes and links, the texts of messages
- what is others' own: who has blocked or declined you, addresses that others came from, and their numbers in audit.json
- copies of what is in here: search keys, answers kept for a repeated request, the history of buckets
- what apps keep by themselves: ask them
`
}
