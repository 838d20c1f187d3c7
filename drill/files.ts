import { readFileSync } from 'node:fs'
import { ADDRESSES, type MachineName } from './network.ts'

/** The values that an operator puts into the files of deploy/fleet. */
export type Values = Readonly<Record<string, string>>

/** A word in capitals of which an operator has to think: a name of a machine, an address, a password. */
const PLACEHOLDER = /\b(?:NODE_NAME|(?:NODE|PEER)_ADDRESS|BACKUP_PASSPHRASE|[A-Z]+_PASSWORD)\b(?!=)/g

export const SECRETS = [
  'API_PASSWORD',
  'REPLICATION_PASSWORD',
  'SUPERUSER_PASSWORD',
  'REWIND_PASSWORD',
  'PLATFORM_PASSWORD',
  'BACKUP_PASSPHRASE',
] as const

/** Replaces the placeholders of a file of deploy/fleet. Throws if one of them has no value. */
export function render(file: string, values: Values): string {
  const text = readFileSync(new URL(`../deploy/fleet/${file}`, import.meta.url), 'utf8')
  return text.replace(PLACEHOLDER, (name) => {
    const value = values[name]
    if (value === undefined) throw new Error(`deploy/fleet/${file}: ${name} has no value`)
    return value
  })
}

/** Replaces settings by those of a small computer. Throws if the file does not have a setting. */
export function resize(text: string, changes: Readonly<Record<string, string>>): string {
  return Object.entries(changes).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`No file has the setting ${from}`)
    return text.replace(from, to)
  }, text)
}

export const valuesFor = (name: MachineName, secrets: Values): Values => ({
  ...secrets,
  NODE_NAME: name,
  NODE_ADDRESS: ADDRESSES[name],
  PEER_ADDRESS: ADDRESSES[name === 'lb1' ? 'lb2' : 'lb1'],
})
