import { createHash, timingSafeEqual } from 'node:crypto'
import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import bcrypt from 'bcryptjs'
import type { ScriptHash } from './imported-verification.ts'
import { sha512Crypt } from './sha512-crypt.ts'

// Lowers the priority of this thread only: on Linux, priorities are per thread, so the thread that serves requests is
// not affected.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

function verify(password: string, imported: ScriptHash): boolean {
  if (imported.kind === 'bcrypt') {
    const given = imported.isPrehashed ? createHash('sha256').update(password).digest('hex') : password
    return bcrypt.compareSync(given, imported.hash)
  }
  const actual = Buffer.from(sha512Crypt(password, imported.hash))
  const expected = Buffer.from(imported.hash)
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

const { password, imported } = workerData as { password: string; imported: ScriptHash }
parentPort?.postMessage(verify(password, imported))
