import type { AppUser, PersonCaller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { fail } from '../../kernel/errors.ts'
import type { ExportFile } from '../../kernel/room.ts'
import { childrenBornAfter } from '../people/ages.ts'
import { countImage } from '../people/changes.ts'
import { normaliseHandle } from '../people/handles.ts'
import { readDefault } from './default.ts'
import { type ImageKind, parseImageId, widthFor } from './rules.ts'
import type { NameImage, NameKnown } from './schema.ts'
import * as store from './store.ts'
import type { ImageWorker, NewImage } from './worker.ts'

/**
 * Image ids, as used in profiles. They contain the user id in the app, so that two apps cannot match people by them,
 * and the version of the image. If there is no uploaded image, the id refers to the generated one.
 */
export const pictureId = (userId: string, version: number): string => `p-${userId}-${version}`
export const coverId = (userId: string, version: number): string => `c-${userId}-${version}`

export interface ServedImage {
  readonly bytes: Buffer
  readonly mediaType: 'image/webp' | 'image/png'
  readonly etag: string
  /** Whether the image was generated, because the person has not uploaded one. */
  readonly isDefault: boolean
}

interface ImageChoice {
  readonly kind: ImageKind
  readonly size?: number | undefined
}

/** Reads the caller's own image, for an app. */
export function readOwnImage(db: Db, who: AppUser, what: ImageChoice): Promise<ServedImage> {
  return readOwn(db, what, who.personId, who.userId)
}

/** Reads the caller's own image, for the platform's pages. */
export function readPersonImage(db: Db, who: PersonCaller, what: ImageChoice): Promise<ServedImage> {
  return readOwn(db, what, who.personId, who.handle)
}

/**
 * Reads the picture of a person whom the caller knows, for the platform's pages: a friend, a person who has sent the
 * caller a friend request, the caller's child, or a person with such a relation to the child.
 */
export async function readKnownPicture(db: Db, who: PersonCaller, { handle, size }: NameKnown): Promise<ServedImage> {
  const width = widthFor('picture', size)
  const known = { me: who.personId, handle: normaliseHandle(handle), born: childrenBornAfter(who.at) }
  const row = await db.first(store.findOfKnown, { kind: 'picture', width, ...known })
  if (!row) throw fail('notFound', 'There is no user with this handle whose picture you can see')
  return show(row, 'picture', width, row.handle)
}

async function readOwn(db: Db, { kind, size }: ImageChoice, person: number, seed: string): Promise<ServedImage> {
  const width = widthFor(kind, size)
  const row = await db.first(store.findOwn, { kind, width, person })
  if (!row) throw fail('tokenInvalid')
  return show(row, kind, width, seed)
}

/**
 * Reads the image of a user of the app. A user whom the caller may not see gets the same refusal as an unknown user.
 */
export async function readImage(db: Db, who: AppUser, { id, size }: NameImage): Promise<ServedImage> {
  const named = parseImageId(id)
  if (!named) throw noImage()
  const { kind, userId, version } = named
  const width = widthFor(kind, size)
  const row = await db.first(store.findOfUser, {
    kind,
    width,
    app: who.appId,
    caller: who.personId,
    user: userId,
    version,
  })
  if (!row) throw noImage()
  return show(row, kind, width, userId)
}

const noImage = () => fail('notFound', 'There is no image with this id; the profile has the current one')

function show(row: RowOf<typeof store.findOwn>, kind: ImageKind, width: number, seed: string): ServedImage {
  const { bytes, etag } = row
  if (bytes !== null && etag !== null) return { bytes, etag, mediaType: 'image/webp', isDefault: false }
  return { ...readDefault(kind, width, seed), mediaType: 'image/png', isDefault: true }
}

/** Yields the uploaded images in their largest size, for the data export. */
export async function* exportImages(db: Db, personId: number): AsyncGenerator<ExportFile> {
  for (const kind of ['picture', 'cover'] as const) {
    const found = await db.first(store.findLargest, { kind, person: personId })
    if (found) yield { path: `${kind}.webp`, chunks: [found.bytes], isPacked: true }
  }
}

/** Replaces all sizes of an image in one transaction. */
export async function setImage(db: Db, who: PersonCaller, what: NewImage, worker: ImageWorker): Promise<void> {
  const { kind } = what
  const person = who.personId
  const sizes = await worker.makeSizes(String(person), what)
  await db.transaction(async (tx) => {
    await countVersion(tx, who, kind)
    await tx.all(store.deleteSizes, { kind, person })
    for (const size of sizes) await tx.first(store.insertSize, { kind, person, ...size })
  })
}

/** Removes an uploaded image, so that the generated one is shown again. Idempotent. */
export async function removeImage(db: Db, who: PersonCaller, { kind }: { kind: ImageKind }): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.first(store.lockPerson, { person: who.personId })
    const gone = await tx.all(store.deleteSizes, { kind, person: who.personId })
    if (gone.length > 0) await countVersion(tx, who, kind)
  })
}

/** Increments the version of the image. This locks the person's row, so that concurrent changes are serialised. */
async function countVersion(tx: Tx, { personId, epoch }: PersonCaller, kind: ImageKind): Promise<void> {
  if (!(await countImage(tx, { kind, personId, epoch })))
    throw fail('notAuthorized', 'The account was changed in the meantime; sign in again')
}
