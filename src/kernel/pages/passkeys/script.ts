import { readFileSync } from 'node:fs'
import { PASSKEY_SCRIPT } from '../account/signin-page.ts'

export const passkeyScript = {
  path: PASSKEY_SCRIPT,
  text: readFileSync(new URL('passkey.js', import.meta.url), 'utf8'),
}
