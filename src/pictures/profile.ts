/** Those of sRGB, Display P3 and Adobe RGB take 0.4 to 4 KiB. */
export const MAX_PROFILE_BYTES = 16 * 1024
const HEAD_BYTES = 128
/** Name, place and length. */
const ENTRY_BYTES = 12
const MAX_TAGS = 64

/** For a colour space, the tags that say what its colours are. White is in every profile, and some decoders miss it. */
const TAGS: Readonly<Record<string, readonly string[]>> = {
  'RGB ': ['wtpt', 'rXYZ', 'gXYZ', 'bXYZ', 'rTRC', 'gTRC', 'bTRC'],
  GRAY: ['wtpt', 'kTRC'],
}
/** Of input, displays, output and colour spaces: what an image can be in. */
const CLASSES = ['scnr', 'mntr', 'prtr', 'spac']

/**
 * A profile of colours (ICC.1:2022) with nothing but what three numbers for each colour and a curve for each channel need (§8.3.3): tables and programs in it, of
 * which a few bytes can be gigabytes and minutes, are left out. Nothing where there is no such thing, or it is not well-formed.
 */
export function keepMatrix(sent: Buffer): Buffer | undefined {
  if (sent.length < HEAD_BYTES + 4 || sent.length > MAX_PROFILE_BYTES) return undefined
  const profile = sent.subarray(0, sent.readUInt32BE(0))
  if (profile.length !== sent.readUInt32BE(0) || profile.length < HEAD_BYTES + 4) return undefined
  const read = (at: number) => profile.toString('latin1', at, at + 4)
  const count = profile.readUInt32BE(HEAD_BYTES)
  const wanted = TAGS[read(16)]
  const version = profile[8]!
  if (read(36) !== 'acsp' || (version !== 2 && version !== 4)) return undefined
  if (!wanted || !CLASSES.includes(read(12)) || read(20) !== 'XYZ ') return undefined
  if (count > MAX_TAGS || HEAD_BYTES + 4 + count * ENTRY_BYTES > profile.length) return undefined
  const found = new Map<string, Buffer>()
  for (let i = 0; i < count; i++) {
    const at = HEAD_BYTES + 4 + i * ENTRY_BYTES
    const start = profile.readUInt32BE(at + 4)
    const end = start + profile.readUInt32BE(at + 8)
    if (end > profile.length) return undefined
    if (!found.has(read(at))) found.set(read(at), profile.subarray(start, end))
  }
  const tags = wanted.map((name) => [name, keepTag(name, found.get(name))] as const)
  return tags.every(isThere) ? write(profile, tags) : undefined
}

type Tag = readonly [name: string, data: Buffer]
const isThere = (tag: readonly [string, Buffer | undefined]): tag is Tag => tag[1] !== undefined

/** Type, and four bytes of nothing. */
const TYPE_BYTES = 8
/** How many numbers each kind of parametric curve has (§10.18). */
const PARAMETERS = [1, 3, 4, 5, 7]

/** The tag without what may come behind it; nothing where it is of another type. */
function keepTag(name: string, data: Buffer = Buffer.alloc(0)): Buffer | undefined {
  if (data.length < TYPE_BYTES + 4) return undefined
  const type = data.toString('latin1', 0, 4)
  const bytes = name.endsWith('TRC') ? curveBytes(type, data) : xyzBytes(type)
  return bytes !== undefined && bytes <= data.length ? data.subarray(0, bytes) : undefined
}

const xyzBytes = (type: string): number | undefined => (type === 'XYZ ' ? TYPE_BYTES + 12 : undefined)

function curveBytes(type: string, data: Buffer): number | undefined {
  if (type === 'curv') return TYPE_BYTES + 4 + 2 * data.readUInt32BE(TYPE_BYTES)
  const parameters = type === 'para' ? PARAMETERS[data.readUInt16BE(TYPE_BYTES)] : undefined
  return parameters === undefined ? undefined : TYPE_BYTES + 4 + 4 * parameters
}

/** §7.2 and §7.3. */
function write(profile: Buffer, tags: readonly Tag[]): Buffer {
  const head = Buffer.alloc(HEAD_BYTES + 4 + tags.length * ENTRY_BYTES)
  // Version to space of connection, the signature, and the intent with its light; not who made it, when and of what.
  for (const [start, end] of [
    [8, 24],
    [36, 40],
    [64, 80],
  ] as const)
    profile.copy(head, start, start, end)
  head.writeUInt32BE(tags.length, HEAD_BYTES)
  const data: Buffer[] = []
  let at = head.length
  for (const [i, [name, bytes]] of tags.entries()) {
    const entry = HEAD_BYTES + 4 + i * ENTRY_BYTES
    head.write(name, entry, 'latin1')
    head.writeUInt32BE(at, entry + 4)
    head.writeUInt32BE(bytes.length, entry + 8)
    const padded = Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)])
    data.push(padded)
    at += padded.length
  }
  head.writeUInt32BE(at, 0)
  return Buffer.concat([head, ...data])
}
