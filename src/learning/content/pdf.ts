import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { inflate } from 'node:zlib'
import { fail } from '../../kernel/errors.ts'

const refused = (reason: string) => fail('unsupportedMediaType', reason)

const scripted = () =>
  refused(
    'This PDF contains JavaScript or starts a program, so it is not accepted. Print it to a new PDF and upload that',
  )
const unreadable = () =>
  refused(
    'This PDF cannot be checked for scripts, because it is damaged or unusually built. Print it to a new PDF and upload that',
  )
const encrypted = () =>
  refused(
    'This PDF is encrypted, so it cannot be checked for scripts. Remove its password and restrictions, and upload it again',
  )
const tooLarge = () =>
  refused('This PDF is too large to be checked for scripts once it is unpacked. Print it to a new PDF and upload that')

/** Names of which a viewer runs the value: JavaScript, programs, and forms and media with scripts of their own. */
const SCRIPTED: ReadonlySet<string> = new Set(['/JavaScript', '/JS', '/Launch', '/XFA', '/RichMedia'])

/** Object streams have short dictionaries; a longer one is refused if it belongs to an object stream. */
const MOST_TOKENS = 200
/** More than the longest name or keyword that matters, with each of its letters written as `#xx`. */
const MOST_WORD = 64
const MOST_STREAMS = 100_000
const MOST_FILTERS = 4
/** Size of an object stream, both packed and unpacked; programs write at most some hundred kilobytes. */
const MOST_STREAM_BYTES = 8 * 2 ** 20
/** Size of all object streams of a file, unpacked. */
const MOST_TOTAL_BYTES = 128 * 2 ** 20
const MOST_OBJECTS = 20_000
const CHUNK_BYTES = 256 * 1024

const WHITE = new Set([0, 9, 10, 12, 13, 32])
const DELIMITERS = new Set(Buffer.from('()<>[]{}/%'))
/** The class of each byte (ISO 32000-1 §7.2.2): 0 is regular, 1 white space, 2 a delimiter. */
const CLASSES = Uint8Array.from({ length: 256 }, (_, byte) => (WHITE.has(byte) ? 1 : DELIMITERS.has(byte) ? 2 : 0))

/** The start of an object or trailer, to which a cross-reference can point even inside a string or a stream. */
const PLAIN_START = /(?:\d[\0\t\n\f\r ]+\d+[\0\t\n\f\r ]*obj|trailer[\0\t\n\f\r ]*<<)$/
const COMMENTED_START =
  /(?:\d(?:[\0\t\n\f\r ]|%[^\r\n]*[\r\n])+\d+(?:[\0\t\n\f\r ]|%[^\r\n]*[\r\n])*obj|trailer(?:[\0\t\n\f\r ]|%[^\r\n]*[\r\n])*<<)$/
/** Comments between the parts of a start are rare, and finding them is slow. */
const MAY_BE_COMMENTED = /[\r\n][\0\t\n\f\r ]*(?:\d+[\0\t\n\f\r ]*obj|obj|<<)$/
const START_BYTES = 256
const MOST_COMMENTED = 10_000

/** A stream that a viewer may read objects from. */
interface ObjectStream {
  readonly at: number
  end: number
  readonly tokens: readonly string[]
}

/** In the data of a stream, only these can end it or start an object. */
const STREAM_MARKS = ['endstream', 'obj', '<<']

type State = 'normal' | 'word' | 'string' | 'hex' | 'comment' | 'line' | 'stream'

/**
 * Reads the tokens of a PDF (ISO 32000-1 §7.2) without its cross-references, which an attacker can point anywhere.
 * Throws at a name that stands for a script.
 */
class Scanner {
  isEncrypted = false
  readonly #hasStreams: boolean
  readonly #streams: ObjectStream[] = []
  /** The stream that is being read, if it may hold objects. */
  #stream: ObjectStream | undefined
  #state: State = 'normal'
  #depth = 0
  #isEscaped = false
  #word = ''
  /** Tokens since the start of the object, with their names unescaped. */
  #tokens: string[] = []
  #mayHoldObjects = false
  #hasFirst = false
  #tail = Buffer.alloc(0)
  #read = 0
  #commented = 0

  constructor(hasStreams: boolean) {
    this.#hasStreams = hasStreams
  }

  add(chunk: Buffer): void {
    const bytes = Buffer.concat([this.#tail, chunk])
    const start = this.#read - this.#tail.length
    const ends = STREAM_MARKS.map((mark) => ({ mark, at: -1 }))
    for (let i = this.#tail.length; i < bytes.length; i++) {
      // Most bytes are data of streams, and a native search skips them much faster.
      if (this.#state === 'stream') {
        for (const next of ends) if (next.at < i) next.at = findEnd(bytes, i, next.mark)
        i = Math.min(...ends.map(({ at }) => at))
      }
      if (i < bytes.length) this.#step(bytes, i, start)
    }
    this.#read += chunk.length
    this.#tail = bytes.subarray(-START_BYTES)
  }

  /** Ends the file, and returns the streams in which there may be more objects. */
  end(): readonly ObjectStream[] {
    if (this.#state === 'word') this.#endWord()
    this.#endStream(this.#read)
    return this.#streams
  }

  /** Ends an object of an object stream. */
  endObject(): void {
    if (this.#state === 'string' || this.#state === 'hex') throw unreadable()
    if (this.#state === 'word') this.#endWord()
    this.#state = 'normal'
  }

  #step(bytes: Buffer, i: number, start: number): void {
    const byte = bytes[i]!
    if (this.#state === 'word') {
      if (CLASSES[byte] === 0) {
        if (this.#word.length < MOST_WORD) this.#word += String.fromCharCode(byte)
        return
      }
      this.#endWord()
    }
    switch (this.#state) {
      case 'normal':
        this.#begin(byte)
        return
      case 'string':
        if (this.#isEscaped) this.#isEscaped = false
        else if (byte === 0x5c) this.#isEscaped = true
        else if (byte === 0x28) this.#depth++
        else if (byte === 0x29 && --this.#depth === 0) this.#state = 'normal'
        break
      case 'hex':
        // Two angle brackets at the start of a hexadecimal string are a dictionary instead.
        if (byte === 0x3c && this.#depth === 0) this.#startDictionary()
        else if (byte === 0x3e) this.#state = 'normal'
        this.#depth = 1
        break
      case 'comment':
        if (byte === 10 || byte === 13) this.#state = 'normal'
        break
      case 'line':
        this.#startData(byte, start + i)
        break
      case 'stream':
        if ((byte === 0x6d && endsWith(bytes, i, 'endstream')) || (byte === 0x6a && endsWith(bytes, i, 'endobj')))
          this.#endStream(start + i + 1)
    }
    if (this.#state !== 'normal') this.#findStart(bytes, i, start + i)
  }

  #begin(byte: number): void {
    if (byte === 0x2f || CLASSES[byte] === 0) {
      this.#state = 'word'
      this.#word = String.fromCharCode(byte)
    } else if (byte === 0x28) {
      this.#state = 'string'
      this.#depth = 1
      this.#isEscaped = false
      this.#addToken('()')
    } else if (byte === 0x3c) {
      this.#state = 'hex'
      this.#depth = 0
    } else if (byte === 0x25) this.#state = 'comment'
    else if (CLASSES[byte] === 2) this.#addToken(String.fromCharCode(byte))
  }

  #startDictionary(): void {
    this.#state = 'normal'
    this.#addToken('<<')
  }

  #endWord(): void {
    this.#state = 'normal'
    const word = this.#word.startsWith('/') ? unescapeName(this.#word) : this.#word
    if (SCRIPTED.has(word)) throw scripted()
    if (word === 'obj' || word === 'trailer') this.#startObject()
    if (word === 'stream' && this.#hasStreams && this.#tokens.at(-1) === '>') this.#state = 'line'
    this.#addToken(word)
    if (word === '/Encrypt') this.isEncrypted = true
    // Some viewers read objects from any stream with these entries, whatever its type.
    if (word === '/ObjStm' || (word === '/N' && this.#hasFirst)) this.#mayHoldObjects = true
    if (word === '/First') {
      this.#hasFirst = true
      if (this.#tokens.includes('/N')) this.#mayHoldObjects = true
    }
  }

  #startObject(): void {
    this.#state = 'normal'
    this.#tokens = []
    this.#mayHoldObjects = false
    this.#hasFirst = false
  }

  /** Keeps the first tokens of an object, and the last one. */
  #addToken(token: string): void {
    if (this.#tokens.length > MOST_TOKENS) this.#tokens[MOST_TOKENS] = token
    else this.#tokens.push(token)
  }

  /** The data of a stream begins in the line after the keyword. */
  #startData(byte: number, at: number): void {
    if (byte !== 10 && byte !== 13) return
    this.#state = 'stream'
    if (!this.#mayHoldObjects) return
    if (this.#streams.length >= MOST_STREAMS || this.#tokens.length > MOST_TOKENS) throw unreadable()
    this.#stream = { at: at + 1, end: at + 1, tokens: this.#tokens }
    this.#streams.push(this.#stream)
  }

  #endStream(at: number): void {
    this.#state = 'normal'
    if (this.#stream) this.#stream.end = at
    this.#stream = undefined
  }

  /** An object inside a stream is read like any other; inside a string it can only be meant to mislead. */
  #findStart(bytes: Buffer, i: number, at: number): void {
    const byte = bytes[i]
    if (!(byte === 0x6a && endsWith(bytes, i, 'obj')) && !(byte === 0x3c && bytes[i - 1] === 0x3c)) return
    const before = bytes.toString('latin1', Math.max(0, i + 1 - START_BYTES), i + 1)
    if (!PLAIN_START.test(before)) {
      if (!MAY_BE_COMMENTED.test(before)) return
      if (++this.#commented > MOST_COMMENTED) throw unreadable()
      if (!COMMENTED_START.test(before)) return
    }
    if (this.#state !== 'stream') throw unreadable()
    this.#endStream(at)
    this.#startObject()
  }
}

/** Returns the index of the last byte of the next mark that ends at `from` or later. */
function findEnd(bytes: Buffer, from: number, mark: string): number {
  const at = bytes.indexOf(mark, Math.max(0, from + 1 - mark.length), 'latin1')
  return at < 0 ? bytes.length : at + mark.length - 1
}

function endsWith(bytes: Buffer, i: number, word: string): boolean {
  for (let k = 0; k < word.length; k++) if (bytes[i - k] !== word.charCodeAt(word.length - 1 - k)) return false
  return true
}

/** Any letter of a name can be written as `#xx` (ISO 32000-1 §7.3.5). */
const unescapeName = (name: string): string =>
  name.replace(/#([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/**
 * Refuses a PDF that runs scripts or programs, also from compressed objects, and one whose objects cannot be read.
 * It reads the file in pieces, so that other requests are served in between.
 */
export async function refuseScripts(path: string): Promise<void> {
  const scanner = new Scanner(true)
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) scanner.add(chunk)
  const streams = scanner.end()
  if (streams.length === 0) return
  if (scanner.isEncrypted) throw encrypted()
  let leftBytes = MOST_TOTAL_BYTES
  const file = await open(path)
  try {
    for (const stream of streams) {
      leftBytes -= await scanObjects(file, stream)
      if (leftBytes < 0) throw tooLarge()
    }
  } finally {
    await file.close()
  }
}

/** Like `refuseScripts`, for a small file in memory. It accepts no compressed objects. */
export function refuseScriptsHere(bytes: Buffer): void {
  const scanner = new Scanner(true)
  scanner.add(bytes)
  if (scanner.end().length > 0) throw unreadable()
}

/** Scans the objects of an object stream, each from its own offset (ISO 32000-1 §7.5.7), and returns their bytes. */
async function scanObjects(file: FileHandle, { at, end, tokens }: ObjectStream): Promise<number> {
  const first = readFirst(tokens)
  const filters = readFilters(tokens)
  if (end - at > MOST_STREAM_BYTES) throw tooLarge()
  // The byte before the data tells whether a line feed belongs to the end of the line.
  const data = Buffer.alloc(end - at + 1)
  await file.read(data, 0, data.length, at - 1)
  const decoded = await decode(data.subarray(data[0] === 13 && data[1] === 10 ? 2 : 1), filters)
  const header = decoded.toString('latin1', 0, first)
  if (first > decoded.length || !/^[\d\0\t\n\f\r ]*$/.test(header)) throw unreadable()
  const numbers = header.match(/\d+/g) ?? []
  const offsets = numbers.filter((_, i) => i % 2 === 1).map((offset) => first + Number(offset))
  if (offsets.length > MOST_OBJECTS) throw unreadable()
  const starts = [...new Set([first, ...offsets])].sort((a, b) => a - b)
  const scanner = new Scanner(false)
  for (const [i, start] of starts.entries()) {
    for (let from = start, end = starts[i + 1] ?? decoded.length; from < end; from += CHUNK_BYTES) {
      scanner.add(decoded.subarray(from, Math.min(end, from + CHUNK_BYTES)))
      if (from + CHUNK_BYTES < end) await new Promise(setImmediate)
    }
    scanner.endObject()
  }
  return decoded.length
}

/** Returns the index of the only entry with one of these keys. */
function findEntry(tokens: readonly string[], ...keys: string[]): number | undefined {
  const found = tokens.flatMap((token, i) => (keys.includes(token) ? [i] : []))
  if (found.length > 1) throw unreadable()
  return found[0]
}

function readFirst(tokens: readonly string[]): number {
  const at = findEntry(tokens, '/First')
  const value = at === undefined ? '' : tokens[at + 1]!
  if (!/^\d{1,9}$/.test(value) || tokens[at! + 3] === 'R') throw unreadable()
  return Number(value)
}

const FILTERS: Readonly<Record<string, Filter>> = {
  '/FlateDecode': 'flate',
  '/Fl': 'flate',
  '/ASCIIHexDecode': 'hex',
  '/AHx': 'hex',
  '/ASCII85Decode': 'base85',
  '/A85': 'base85',
}
type Filter = 'flate' | 'hex' | 'base85'

/** Reads the filters of a stream. Predictors serve images and tables, so they are not supported for objects. */
function readFilters(tokens: readonly string[]): Filter[] {
  if (tokens.includes('/Predictor')) throw unreadable()
  const at = findEntry(tokens, '/Filter', '/F')
  if (at === undefined) return []
  const end = tokens[at + 1] === '[' ? tokens.indexOf(']', at) : at + 2
  const names = tokens.slice(tokens[at + 1] === '[' ? at + 2 : at + 1, end)
  return names.map((name) => {
    if (!Object.hasOwn(FILTERS, name)) throw unreadable()
    return FILTERS[name]!
  })
}

const inflateAsync = promisify(inflate)

async function decode(encoded: Buffer, filters: readonly Filter[]): Promise<Buffer> {
  if (filters.length > MOST_FILTERS) throw unreadable()
  let bytes = encoded
  for (const filter of filters) bytes = await DECODERS[filter](bytes)
  return bytes
}

const DECODERS: Readonly<Record<Filter, (bytes: Buffer) => Buffer | Promise<Buffer>>> = {
  flate: (bytes) =>
    inflateAsync(bytes, { maxOutputLength: MOST_STREAM_BYTES }).catch((problem: NodeJS.ErrnoException) => {
      throw problem.code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge() : unreadable()
    }),
  hex: (bytes) => {
    const digits = readUntil(bytes, '>')
    if (!/^[\da-f]*$/i.test(digits)) throw unreadable()
    return Buffer.from(digits.length % 2 === 0 ? digits : `${digits}0`, 'hex')
  },
  base85: (bytes) => decodeBase85(readUntil(bytes, '~>')),
}

function readUntil(bytes: Buffer, end: string): string {
  const at = bytes.indexOf(end, 0, 'latin1')
  if (at < 0) throw unreadable()
  return bytes.toString('latin1', 0, at).replaceAll(/[\0\t\n\f\r ]+/g, '')
}

/** ISO 32000-1 §7.4.3: five digits for four bytes, `z` for four zeros, and a shorter last group. */
function decodeBase85(text: string): Buffer {
  if (!/^[!-uz]*$/.test(text)) throw unreadable()
  const digits = text.replaceAll('z', '!!!!!')
  const groups = Math.ceil(digits.length / 5)
  const bytes = Buffer.alloc(groups * 4)
  for (let group = 0; group < groups; group++) {
    let value = 0
    for (let i = group * 5; i < group * 5 + 5; i++)
      value = value * 85 + (i < digits.length ? digits.charCodeAt(i) - 33 : 84)
    bytes.writeUInt32BE(value % 2 ** 32, group * 4)
  }
  return bytes.subarray(0, bytes.length - (groups * 5 - digits.length))
}
