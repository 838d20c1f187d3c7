/** A DNS server for tests: it answers over UDP from a table (RFC 1035 §4). */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { SocketAddress } from 'node:net'

interface Lifetime {
  after(end: () => Promise<void> | void): void
}

export interface DnsRecords {
  /** Values of TXT records. One of more than 255 bytes is sent in several strings. */
  readonly TXT?: readonly string[]
  readonly A?: readonly string[]
  readonly AAAA?: readonly string[]
}

export interface TestDns {
  /** `127.0.0.1:port`. */
  readonly address: string
  /**
   * Records by lower-case name, to be changed by tests. Names that are not in the table do not exist (NXDOMAIN).
   * `fails` is answered with SERVFAIL, `silent` not at all.
   */
  readonly names: Map<string, DnsRecords | 'fails' | 'silent'>
  /** What was asked, such as `TXT example.org`. */
  readonly asked: string[]
}

const TYPES: Readonly<Record<number, keyof DnsRecords>> = { 1: 'A', 16: 'TXT', 28: 'AAAA' }
const [NO_ERROR, SERVFAIL, NXDOMAIN] = [0, 2, 3]

export async function startDns(t: Lifetime, names: Readonly<Record<string, DnsRecords>> = {}): Promise<TestDns> {
  const table: TestDns['names'] = new Map(Object.entries(names))
  const asked: string[] = []
  const socket = createSocket('udp4')
  socket.on('message', (query, { address, port }) => {
    const { name, type, question } = readQuestion(query)
    asked.push(`${TYPES[type] ?? type} ${name}`)
    const found = table.get(name)
    if (found === 'silent') return
    const records = typeof found === 'object' && type in TYPES ? (found[TYPES[type]!] ?? []) : []
    const code = found === undefined ? NXDOMAIN : found === 'fails' ? SERVFAIL : NO_ERROR
    const head = Buffer.alloc(12)
    query.copy(head, 0, 0, 2)
    // A response, with recursion desired and available.
    head.writeUInt16BE(0x8180 | code, 2)
    head.writeUInt16BE(1, 4)
    head.writeUInt16BE(records.length, 6)
    const answers = records.map((value) => encodeAnswer(type, encodeValue(type, value)))
    socket.send(Buffer.concat([head, question, ...answers]), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  t.after(() => void socket.close())
  return { address: `127.0.0.1:${socket.address().port}`, names: table, asked }
}

function readQuestion(query: Buffer): { name: string; type: number; question: Buffer } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return {
    name: labels.join('.').toLowerCase(),
    type: query.readUInt16BE(at + 1),
    question: query.subarray(12, at + 5),
  }
}

function encodeValue(type: number, value: string): Buffer {
  if (type === 1) return Buffer.from(value.split('.').map(Number))
  if (type === 28) return encodeIpv6(value)
  const bytes = Buffer.from(value)
  const strings = []
  for (let at = 0; at < Math.max(bytes.length, 1); at += 255) {
    const part = bytes.subarray(at, at + 255)
    strings.push(Buffer.from([part.length]), part)
  }
  return Buffer.concat(strings)
}

function encodeIpv6(value: string): Buffer {
  const [high = '', low] = new SocketAddress({ address: value, family: 'ipv6' }).address.split('::')
  const left = high === '' ? [] : high.split(':')
  const right = low === undefined || low === '' ? [] : low.split(':')
  const groups = [...left, ...Array(8 - left.length - right.length).fill('0'), ...right]
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex')
}

/** A record that refers to the name of the question by a pointer, and is valid for no time. */
function encodeAnswer(type: number, value: Buffer): Buffer {
  const head = Buffer.alloc(12)
  head.writeUInt16BE(0xc00c, 0)
  head.writeUInt16BE(type, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(value.length, 10)
  return Buffer.concat([head, value])
}
