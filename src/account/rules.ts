import { nameOfBox } from '../../web/pages/account/new-password.ts'
import { MAX_PASSKEYS } from '../passkeys/schema.ts'

export const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)

/** Which of the boxes for passkeys were ticked, where a password is set. */
export const readTicked = (fields: Readonly<Record<string, unknown>>): string[] =>
  Array.from({ length: MAX_PASSKEYS }, (_, i) => fields[nameOfBox(i)]).filter((id) => typeof id === 'string')
