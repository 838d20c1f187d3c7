import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import type { ExportFile } from '../../kernel/room.ts'

/**
 * A zip that is produced while it is read: each entry is requested once the one before has been read completely, so
 * only a few chunks are in memory, however slow the reader. An error of an entry destroys the stream; closing the
 * stream stops the production.
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
