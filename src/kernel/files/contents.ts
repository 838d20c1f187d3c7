import type { Readable } from 'node:stream'

/** Bytes of a file, under their hash. They never change. */
export interface Content {
  readonly sha256: string
  readonly bytes: number
}

/** Part of a file. `end` is the last byte. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** A place where the bytes of files are stored. All functions can be repeated. */
export interface FileStore {
  /** Stores the file at `path`, unless its content is stored already. May move it. */
  keep(content: Content, path: string): Promise<void>
  open(content: Content, range: ByteRange): Promise<Readable>
  remove(sha256: string): Promise<void>
}
