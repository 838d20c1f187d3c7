import { type FileHandle, open } from 'node:fs/promises'
import { fail } from '../../kernel/errors.ts'
import { refuseScripts, refuseScriptsHere } from './pdf.ts'

/** A type of file that can be uploaded. */
interface FileType {
  readonly mediaType: string
  /** Endings of a file name that fit the type; the first is added to a name that has none of them. */
  readonly endings: readonly string[]
}

const type = (mediaType: string, ...endings: string[]): FileType => ({ mediaType, endings })

const PDF = type('application/pdf', 'pdf')
const CSV = type('text/csv', 'csv')
const TEXT = type('text/plain', 'txt', 'md')
const CAPTIONS = type('text/vtt', 'vtt')

const startsWith =
  (...bytes: number[]) =>
  (head: Buffer): boolean =>
    bytes.every((byte, i) => head[i] === byte)
const matches =
  (pattern: RegExp) =>
  (head: Buffer): boolean =>
    pattern.test(head.toString('latin1'))

const EBML = startsWith(0x1a, 0x45, 0xdf, 0xa3)

/** Types that the first bytes identify. */
const BY_HEAD: readonly (readonly [(head: Buffer) => boolean, FileType])[] = [
  [startsWith(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a), type('image/png', 'png')],
  [startsWith(0xff, 0xd8, 0xff), type('image/jpeg', 'jpg', 'jpeg')],
  [matches(/^GIF8[79]a/), type('image/gif', 'gif')],
  [matches(/^RIFF.{4}WEBP/s), type('image/webp', 'webp')],
  [matches(/^.{4}ftypavi[fs]/s), type('image/avif', 'avif')],
  [matches(/^.{4}ftypM4[AB] /s), type('audio/mp4', 'm4a', 'm4b')],
  [matches(/^.{4}ftyp(?:iso[m2-9]|mp4[12]|avc1|M4V |dash|MSNV)/s), type('video/mp4', 'mp4', 'm4v')],
  // The document type of an EBML header (RFC 8794 §11.2.4).
  [(head) => EBML(head) && /^.{0,60}B\x82.webm/s.test(head.toString('latin1')), type('video/webm', 'webm')],
  [matches(/^OggS.{0,60}theora/s), type('video/ogg', 'ogv')],
  [matches(/^OggS/), type('audio/ogg', 'ogg', 'oga', 'opus')],
  [matches(/^ID3/), type('audio/mpeg', 'mp3')],
  // A frame of MPEG audio, layer III (ISO 11172-3 §2.4.1.3).
  [matches(/^\xff[\xe2\xe3\xf2\xf3\xfa\xfb][^\xf0-\xff]/), type('audio/mpeg', 'mp3')],
  [matches(/^%PDF-\d/), PDF],
  [matches(/^(?:\xef\xbb\xbf)?WEBVTT(?:[ \t\r\n]|$)/), CAPTIONS],
]

const ZIP = startsWith(0x50, 0x4b, 3, 4)

/** Office documents: a ZIP file with this entry is of this type. */
const BY_ENTRY: Readonly<Record<string, FileType>> = {
  'word/document.xml': type('application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'),
  'xl/workbook.xml': type('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'),
  'ppt/presentation.xml': type('application/vnd.openxmlformats-officedocument.presentationml.presentation', 'pptx'),
}
/** An OpenDocument file begins with an uncompressed entry that names its type (OpenDocument 1.3, part 2, §3.3). */
const OPEN_DOCUMENT = /^.{30}mimetype(application\/vnd\.oasis\.opendocument\.(text|spreadsheet|presentation))PK/s
const OPEN_ENDINGS: Readonly<Record<string, string>> = { text: 'odt', spreadsheet: 'ods', presentation: 'odp' }
const MACROS = /vbaProject\.bin$|^Basic\/|^Scripts\//

/** Text that a browser or an editor might take for a document with scripts. */
const MARKUP = /^\s*<|<(?:!doctype|html|head|body|script|svg|iframe|\?xml)\b/i
const NO_TEXT = /[^\P{Cc}\t\n\f\r]/u

/** Number of bytes that identify a file. */
const HEAD_BYTES = 4096

const refusedType = () =>
  fail(
    'unsupportedMediaType',
    'This type of file is not accepted. Upload an image (PNG, JPEG, GIF, WebP, AVIF), a PDF, a video (MP4, WebM, OGG), audio (MP3, M4A, OGG), captions (WebVTT), plain text, CSV, or an Office document without macros',
  )

/**
 * Determines the type of a file from its bytes while they arrive. Throws as soon as it is known that the file is not
 * accepted.
 */
export class Inspector {
  #head = Buffer.alloc(0)
  #known: FileType | undefined
  #isZip = false
  /** Undefined once the file is known not to be text. */
  #decoder: InstanceType<typeof TextDecoder> | undefined = new TextDecoder('utf-8', { fatal: true })

  add(chunk: Buffer): void {
    const hadHead = this.#head.length >= HEAD_BYTES
    if (!hadHead) {
      this.#head = Buffer.concat([this.#head, chunk.subarray(0, HEAD_BYTES - this.#head.length)])
      this.#known = BY_HEAD.find(([isSo]) => isSo(this.#head))?.[1]
      this.#isZip = ZIP(this.#head)
    }
    if (this.#known !== undefined && this.#known !== CAPTIONS) this.#decoder = undefined
    if (this.#isZip) this.#decoder = undefined
    if (this.#decoder) this.#decode(chunk, { stream: true })
    if (this.#head.length >= HEAD_BYTES) this.#refuseUnknown()
  }

  /** Returns the type of the whole file, which is at `path`. */
  async end(path: string, name: string): Promise<FileType> {
    this.#finish()
    if (this.#isZip) return readOfficeType(this.#head, path)
    if (this.#known === PDF) await refuseScripts(path)
    return this.#typeOf(name)
  }

  /** Returns the type of a file whose bytes are all in `bytes`. */
  endHere(bytes: Buffer, name: string): FileType {
    this.#finish()
    if (this.#isZip) throw refusedType()
    if (this.#known === PDF) refuseScriptsHere(bytes)
    return this.#typeOf(name)
  }

  #finish(): void {
    if (this.#decoder) this.#decode(Buffer.alloc(0), { stream: false })
    this.#refuseUnknown()
  }

  #typeOf = (name: string): FileType => this.#known ?? (/\.csv$/i.test(name) ? CSV : TEXT)

  #decode(chunk: Buffer, options: { stream: boolean }): void {
    try {
      if (NO_TEXT.test(this.#decoder!.decode(chunk, options))) this.#decoder = undefined
    } catch {
      this.#decoder = undefined
    }
  }

  #refuseUnknown(): void {
    const isText =
      this.#decoder !== undefined && !MARKUP.test(this.#head.toString('latin1').replace(/^\xef\xbb\xbf/, ''))
    const isBinary = this.#known !== undefined && this.#known !== CAPTIONS
    if (!isText && !isBinary && !this.#isZip) throw refusedType()
  }
}

/** Determines the type of a small file. Office documents are not accepted, because their entries are read from disk. */
export function inspectBytes(bytes: Buffer, name: string): FileType {
  const inspector = new Inspector()
  inspector.add(bytes)
  return inspector.endHere(bytes, name)
}

/**
 * Appends the ending of the type to a name that has none of its endings, so that programs open the file as this type.
 */
export function nameFor(name: string, { endings }: FileType): string {
  const ending = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase()
  return ending !== undefined && endings.includes(ending) ? name : `${name}.${endings[0]}`
}

async function readOfficeType(head: Buffer, path: string): Promise<FileType> {
  const file = await open(path)
  try {
    const names = await readZipNames(file)
    if (names.some((name) => MACROS.test(name))) throw refusedType()
    const [, mediaType, kind] = OPEN_DOCUMENT.exec(head.toString('latin1')) ?? []
    if (mediaType && kind) return type(mediaType, OPEN_ENDINGS[kind]!)
    const entry = names.find((name) => Object.hasOwn(BY_ENTRY, name))
    if (entry === undefined || !names.includes('[Content_Types].xml')) throw refusedType()
    return BY_ENTRY[entry]!
  } finally {
    await file.close()
  }
}

const END_BYTES = 22
const MOST_DIRECTORY_BYTES = 4 * 2 ** 20

/** Reads the names in the central directory of a ZIP file (APPNOTE 4.3.12). Office documents have no comment. */
async function readZipNames(file: FileHandle): Promise<string[]> {
  const { size } = await file.stat()
  const end = Buffer.alloc(END_BYTES)
  await file.read(end, 0, END_BYTES, Math.max(0, size - END_BYTES))
  const bytes = end.readUInt32LE(12)
  const start = end.readUInt32LE(16)
  if (end.readUInt32LE(0) !== 0x06054b50 || bytes > MOST_DIRECTORY_BYTES || start + bytes > size) throw refusedType()
  const directory = Buffer.alloc(bytes)
  await file.read(directory, 0, bytes, start)
  const names: string[] = []
  for (let at = 0; at + 46 <= bytes && directory.readUInt32LE(at) === 0x02014b50; ) {
    const nameEnd = at + 46 + directory.readUInt16LE(at + 28)
    names.push(directory.toString('utf8', at + 46, nameEnd))
    at = nameEnd + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32)
  }
  return names
}

/** Types that browsers show in place; all others are downloads. */
export const isShown = (mediaType: string): boolean =>
  /^(?:image|video|audio)\//.test(mediaType) || mediaType === PDF.mediaType || mediaType === CAPTIONS.mediaType

/** Groups of types, as patterns for LIKE, by which a list can be filtered. */
export const TYPE_GROUPS = {
  image: ['image/%'],
  video: ['video/%'],
  audio: ['audio/%'],
  pdf: [PDF.mediaType],
  captions: [CAPTIONS.mediaType],
  document: ['application/vnd.%', TEXT.mediaType, CSV.mediaType],
} as const
