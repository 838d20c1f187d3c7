import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import type { ExportFile } from '../../kernel/room.ts'

/**
 * Returns a stream that produces a zip file while it is read. The next entry is requested only after the previous one
 * has been read completely, so only a few chunks are in memory, however slow the reader. If an entry fails, the stream
 * is destroyed; if the stream is closed, no further entries are requested.
 */
export function zipOf(entries: AsyncIterable<ExportFile>, at: Date): Readable {
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  zip.on('error', (error: Error) => output.destroy(error))
  fill(zip, output, entries, at).catch((error: Error) => output.destroy(error))
  return output
}

async function fill(zip: ZipFile, output: Readable, entries: AsyncIterable<ExportFile>, at: Date): Promise<void> {
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
