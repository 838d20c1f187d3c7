import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import type { ByteRange, Content, FileStore } from './contents.ts'

/** Stores files in a folder on this machine, or on a disk that all processes share. */
export class Folder implements FileStore {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  /** The file must be on the same disk, and its bytes must have been flushed. */
  async keep({ sha256, bytes }: Content, path: string): Promise<void> {
    const target = this.#pathOf(sha256)
    const found = await stat(target).catch(() => undefined)
    if (found?.size === bytes) return
    await mkdir(dirname(target), { recursive: true })
    await rename(path, target)
    await flushFolder(dirname(target))
  }

  async open({ sha256 }: Content, { start, end }: ByteRange): Promise<Readable> {
    const file = await open(this.#pathOf(sha256))
    return file.createReadStream({ start, end })
  }

  async remove(sha256: string): Promise<void> {
    await rm(this.#pathOf(sha256), { force: true })
  }

  #pathOf = (sha256: string): string => join(this.#folder, sha256.slice(0, 2), sha256)
}

/** Flushes the entries of a folder, so that a renamed file is still there after a crash of the machine. */
async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  await handle.sync().finally(() => handle.close())
}
