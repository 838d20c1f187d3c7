import { nameOfBox } from '../../web/pages/account/password-page.ts'
import { PASSKEY_SCRIPT } from '../../web/pages/account/signin-page.ts'
import type { Html } from '../../web/pages/html.ts'
import { passkeysSection, REMOVE_PATH, RENAME_PATH } from '../../web/pages/passkeys/passkeys-section.ts'
import { removePage } from '../../web/pages/passkeys/remove-page.ts'
import { findPerson, type PersonCaller } from '../caller.ts'
import { PlatformError } from '../errors.ts'
import { readProblem } from '../http/pages/form-problem.ts'
import { formPage, type Page, type PageAnswer, type PageContext } from '../http/pages/page.ts'
import { messagePolicy } from '../messages/messages.ts'
import { hasPassword } from '../people/proof.ts'
import { listPasskeys, relyingParty, removePasskey, renamePasskey } from './passkeys.ts'
import { MAX_NAME_LENGTH, MAX_PASSKEYS, RemovePasskey, RenamePasskey } from './schema.ts'

const HOME = '/account'
const RENAME = 'passkey.rename'
const REMOVE = 'passkey.remove'

/** The section of the account page that lists the person's passkeys. */
export async function showPasskeys({ db, csrfToken }: PageContext, who: PersonCaller): Promise<Html> {
  return passkeysSection({
    passkeys: await listPasskeys(db, who),
    hasPassword: await hasPassword(db, who),
    now: who.at,
    maxNameLength: MAX_NAME_LENGTH,
    csrfTokens: { rename: csrfToken(RENAME), remove: csrfToken(REMOVE) },
  })
}

/** Which of the boxes for passkeys were ticked, where a password is set. */
export const readTicked = (fields: Readonly<Record<string, unknown>>): string[] =>
  Array.from({ length: MAX_PASSKEYS }, (_, i) => fields[nameOfBox(i)]).filter((id) => typeof id === 'string')

const homeWith = (done: string): PageAnswer => ({ redirect: `${HOME}?done=${done}` })

const isGone = (error: unknown): boolean => error instanceof PlatformError && error.kind === 'notFound'

export const passkeyPages: readonly Page[] = [
  formPage({
    name: 'renamePasskeyForm',
    path: RENAME_PATH,
    input: RenamePasskey,
    from: 'body',
    purpose: () => RENAME,
    run: async ({ db, who }, input) => {
      const person = findPerson(who)
      if (!person) return { redirect: HOME }
      try {
        await renamePasskey(db, person, input)
        return homeWith('passkey-renamed')
      } catch (error) {
        if (isGone(error)) return homeWith('gone')
        throw error
      }
    },
  }),
  formPage({
    name: 'removePasskeyForm',
    path: REMOVE_PATH,
    input: RemovePasskey,
    from: 'body',
    purpose: () => REMOVE,
    run: async ({ db, who, environment, csrfToken }, input) => {
      const person = findPerson(who)
      if (!person) return { redirect: HOME }
      try {
        await removePasskey(db, person, input, environment.get(relyingParty), environment.get(messagePolicy))
        return homeWith('passkey-removed')
      } catch (error) {
        const passkey = (await listPasskeys(db, person)).find(({ passkeyId }) => passkeyId === input.passkeyId)
        if (!passkey || isGone(error)) return homeWith('gone')
        const { sentence, status, headers } = readProblem(error)
        const form = {
          passkeyId: passkey.passkeyId,
          name: passkey.name,
          handle: person.handle,
          hasPassword: await hasPassword(db, person),
          // At first nothing is wrong: the page itself asks for the proof.
          problem: input.password === undefined ? undefined : sentence,
          csrfToken: csrfToken(REMOVE),
        }
        return { title: 'Remove a passkey', status, headers, scripts: [PASSKEY_SCRIPT], body: removePage(form) }
      }
    },
  }),
]
