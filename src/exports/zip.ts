import { pipeline, Readable, Transform, type TransformCallback } from 'node:stream'
import { finished } from 'node:stream/promises'
import { ZipFile } from 'yazl'

export interface ZipEntry {
  readonly path: string
  readonly chunks: AsyncIterable<string | Buffer> | Iterable<string | Buffer>
  /** Images are as small as they get. */
  readonly isPacked?: boolean
}

/** A zip on its way, which knows how much of it was taken, and when last. */
export class ZipStream extends Transform {
  bytes = 0
  movedAtMs: number
  readonly #clock: () => Date

  constructor(clock: () => Date) {
    super()
    this.#clock = clock
    this.movedAtMs = clock().getTime()
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.bytes += chunk.length
    this.movedAtMs = this.#clock().getTime()
    done(null, chunk)
  }
}

/**
 * A zip that is made while it is read: an entry is asked for once the one before has been read to its end, so no more than a few chunks are in memory, however slow
 * the reader. Where making it fails the stream does; where the stream is closed nothing more is asked for.
 */
export function zipOf(entries: AsyncIterable<ZipEntry>, at: Date, clock: () => Date): ZipStream {
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  zip.on('error', (error: Error) => output.destroy(error))
  fill(zip, output, entries, at).catch((error: Error) => output.destroy(error))
  // Whichever of the two ends early takes the other along; the one that is returned tells why.
  return pipeline(output, new ZipStream(clock), () => {})
}

async function fill(zip: ZipFile, output: Readable, entries: AsyncIterable<ZipEntry>, at: Date): Promise<void> {
  for await (const { path, chunks, isPacked = false } of entries) {
    if (output.destroyed) return
    const source = Readable.from(chunks)
    const leave = () => source.destroy()
    output.once('close', leave)
    zip.addReadStream(source, path, { mtime: at, compress: !isPacked })
    try {
      await finished(source)
    } catch (error) {
      if (output.destroyed) return
      throw error
    } finally {
      output.off('close', leave)
    }
  }
  zip.end()
}
