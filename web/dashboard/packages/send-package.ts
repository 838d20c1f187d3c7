import { ApiProblem } from '../../api/call.ts'
import {
  createPackageUpload,
  deletePackageUpload,
  finishPackageUpload,
  type PackageDetails,
  type PackageUpload,
  readPackageUpload,
  storePackagePart,
} from '../../api/operations.ts'
import { makeKey } from '../../api/query.ts'

export interface PackageFile {
  readonly organisation: string
  readonly file: File
}

interface Sending {
  readonly signal: AbortSignal
  /** Called with the share that has arrived, from 0 to 1. At 1, the platform checks the package. */
  readonly onProgress: (sent: number) => void
  /** Called when the connection was lost, while further attempts follow. */
  readonly onInterrupted: () => void
}

/** Error code of a package that violates its standard. */
const REFUSED = 4003
/** Size of a part (bytes). After a lost connection, at most so much is sent again. */
const PART_BYTES = 4 * 2 ** 20
/** Time without progress after which a connection counts as lost. */
const STALLED_MS = 60_000
/** Pauses before further attempts. They end early when the browser is online again. */
const PAUSES_MS = [1000, 2000, 4000, 8000, 15_000, 30_000]

/**
 * Uploads a package in parts. If the connection is lost, it goes on where it stopped: by itself for a minute, and later
 * when it is called again with the same file, even after the page was loaded again.
 */
export async function sendPackage(what: PackageFile, sending: Sending): Promise<PackageDetails> {
  const { signal, onProgress } = sending
  const { file } = what
  const { uploadId, receivedBytes } = await findOrCreate(what, sending)
  const show = (bytes: number) => onProgress(Math.min(bytes / file.size, 0.999))
  show(receivedBytes)
  const sendPart = async (offset: number): Promise<number> => {
    const part = file.slice(offset, offset + PART_BYTES)
    const options = { signal, timeoutMs: STALLED_MS, onProgress: (sent: number) => show(offset + sent * part.size) }
    return (await storePackagePart({ uploadId, offset, file: part }, options)).receivedBytes
  }
  for (let offset = receivedBytes; offset < file.size; )
    offset = await persist(sending, async (isRepeat) => {
      const arrived = isRepeat ? (await readPackageUpload({ uploadId }, { signal })).receivedBytes : offset
      return arrived < file.size ? sendPart(arrived) : arrived
    })
  onProgress(1)
  try {
    const found = await persist(sending, () => finishPackageUpload({ uploadId }, { signal }))
    forget(what)
    return found
  } catch (error) {
    // A refused package has ended its upload.
    if (error instanceof ApiProblem && error.code === REFUSED) forget(what)
    throw error
  }
}

/** Deletes what has arrived of an upload. */
export async function cancelUpload(what: PackageFile): Promise<void> {
  const uploadId = findUploadId(what)
  forget(what)
  if (uploadId !== undefined) await deletePackageUpload({ uploadId })
}

async function findOrCreate(what: PackageFile, sending: Sending): Promise<PackageUpload> {
  const uploadId = findUploadId(what)
  const found = uploadId === undefined ? undefined : await persist(sending, () => findUpload(uploadId, sending))
  if (found) return found
  const { organisation, file } = what
  const options = { signal: sending.signal, idempotencyKey: makeKey() }
  const created = await persist(sending, () =>
    createPackageUpload({ organisation, name: file.name, bytes: file.size }, options),
  )
  sessionStorage.setItem(keyOf(what), created.uploadId)
  return created
}

/** Returns undefined if the upload has expired, or is somebody else’s. */
const findUpload = (uploadId: string, { signal }: Sending): Promise<PackageUpload | undefined> =>
  readPackageUpload({ uploadId }, { signal }).catch((error) => {
    if (error instanceof ApiProblem && error.status === 403) return undefined
    throw error
  })

// Uploads are kept until the person signs out or closes the tab. The page loses the file when it is loaded again.
const keyOf = ({ organisation, file: { name, size, lastModified } }: PackageFile): string =>
  `upload ${JSON.stringify([organisation, name, size, lastModified])}`
const forget = (what: PackageFile): void => sessionStorage.removeItem(keyOf(what))
const findUploadId = (what: PackageFile): string | undefined => sessionStorage.getItem(keyOf(what)) ?? undefined

/** Whether a part of this file may have arrived, so that its upload can go on. */
export const isBegun = (what: PackageFile): boolean => findUploadId(what) !== undefined

/** Repeats a call while the platform cannot be reached. */
async function persist<T>({ signal, onInterrupted }: Sending, call: (isRepeat: boolean) => Promise<T>): Promise<T> {
  for (const [i, pauseMs] of [0, ...PAUSES_MS].entries()) {
    if (i > 0) await pause(pauseMs)
    signal.throwIfAborted()
    try {
      return await call(i > 0)
    } catch (error) {
      const mayPass = error instanceof ApiProblem && (error.isUnanswered || error.status === 429)
      if (signal.aborted || !mayPass || i === PAUSES_MS.length) throw error
      onInterrupted()
    }
  }
  throw new Error('unreachable')
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      removeEventListener('online', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    addEventListener('online', end)
  })
