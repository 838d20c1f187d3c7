import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { organisationSection } from '../../apps/organisations/import.ts'
import { normaliseHandle } from '../../identity/people/handles.ts'
import { peopleSection } from '../../identity/people/import.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { PlatformError } from '../../kernel/errors.ts'
import { type Field, Key, Line, Matching } from '../../kernel/imports/fields.ts'
import type { ImportSection, Mistake } from '../../kernel/imports/section.ts'
import * as store from './import-store.ts'
import { inspectBytes, nameFor } from './media-types.ts'
import { fileLimits, keepBytes } from './upload.ts'

const MAX_BYTES = 1024 * 1024
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

const File = Type.Object({
  key: Matching('^[A-Za-z0-9_-]{1,64}$', '1 to 64 letters, digits, _ or -', 'The fileId', 64),
  organisation: Key('Key of the organisation that owns it'),
  name: Line(200, 'Name of the file, such as checklist.pdf', { minLength: 1 }),
  author: Type.Optional(Line(31, 'Handle of the user who uploaded it; none by default', { minLength: 1 })),
  content: Type.Refine(
    Type.String({
      minLength: 4,
      maxLength: (MAX_BYTES / 3) * 4 + 4,
      must: 'the bytes in Base64, at most 1 MiB',
      about: 'A type of file that can be uploaded; it never changes',
    } satisfies Field),
    (text) => BASE64.test(text),
  ),
})

interface FileEntry {
  readonly key: string
  readonly organisation: string
  readonly name: string
  readonly author?: string
  readonly content: string
}
type FileRow = RowOf<typeof store.findImported>
interface NewFile extends Omit<FileEntry, 'content'> {
  readonly bytes: Buffer
  readonly sha256: string
  readonly mediaType: string
}

/** Reads a small file. Throws if its type is not accepted. */
export function readFileEntry({ name, content }: Pick<FileEntry, 'name' | 'content'>) {
  const bytes = Buffer.from(content, 'base64')
  const type = inspectBytes(bytes, name)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { bytes, sha256, mediaType: type.mediaType, name: nameFor(name.trim().normalize('NFC'), type) }
}

/** Imports small files for lessons. Files never change, so an existing file stays as it is. */
export const fileSection: ImportSection<FileEntry, FileRow, NewFile> = {
  name: 'files',
  one: 'file',
  key: 'key',
  schema: File,

  *check({ name, content }, place): Generator<Mistake> {
    if (typeof name !== 'string' || typeof content !== 'string' || !BASE64.test(content)) return
    try {
      readFileEntry({ name, content })
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      yield `${place}.content: must be of another type: ${error.message}`
    }
  },
  *refer({ organisation, author }, place) {
    if (typeof organisation === 'string')
      yield { place: `${place}.organisation`, to: organisationSection, key: organisation }
    if (typeof author === 'string') yield { place: `${place}.author`, to: peopleSection, key: normaliseHandle(author) }
  },
  find: (db, keys) => db.all(store.findImported, { keys }),

  async checkHere(db, entries, { find, get }) {
    const limits = get(fileLimits)
    const added = entries.map((entry, i) => ({ ...entry, ...readFileEntry(entry), place: `files[${i}]` }))
    const taken = await db.all(store.findTaken, {
      rows: JSON.stringify(added.map(({ organisation, sha256, name }) => ({ organisation, sha256, name }))),
    })
    const ownerOf = new Map(taken.map(({ key, ...row }) => [`${row.organisation} ${row.sha256} ${row.name}`, key]))
    const leftIn = new Map(
      (await db.all(store.listUsed, { organisations: [...new Set(entries.map((one) => one.organisation))] })).map(
        (row) => [row.key, (row.limit ?? limits.organisationBytes) - row.used],
      ),
    )
    return added.flatMap(({ key, organisation, sha256, name, bytes, place }) => {
      const found = find(fileSection, key)
      if (found)
        return found.sha256 === sha256 && found.name === name && found.organisation === organisation
          ? []
          : [`${place}: must stay the same file: ${key} is another one`]
      const same = `${organisation} ${sha256} ${name}`
      const owner = ownerOf.get(same)
      ownerOf.set(same, key)
      const left = (leftIn.get(organisation) ?? limits.organisationBytes) - bytes.length
      leftIn.set(organisation, left)
      return [
        ...(owner === undefined ? [] : [`${place}: must be unique: ${owner} is the same file`]),
        ...(left < 0 ? [`${place}: must fit into the storage of ${organisation}, which would be full`] : []),
        ...(bytes.length > limits.fileBytes ? [`${place}: must be at most ${limits.fileBytes} bytes`] : []),
      ]
    })
  },

  plan: (entry, found) => ({ change: { ...entry, ...readFileEntry(entry) }, isSame: found !== undefined }),

  async write(tx, who, changes, { idOf, get }) {
    const made: { id: number; key: string }[] = []
    for (const { key, change } of changes) {
      const { bytes, sha256, name, mediaType: media_type, author } = change
      const organisation = idOf(organisationSection, change.organisation)
      await keepBytes(tx, who, { sha256, bytes }, get)
      const person = author === undefined ? null : idOf(peopleSection, normaliseHandle(author))
      const row = { key, organisation, name, media_type, bytes: bytes.length, sha256, person, now: who.at }
      made.push({ key, id: (await tx.first(store.insertImported, row))!.id })
    }
    return made
  },
}
