import { Type } from 'typebox'
import { findNotice } from '../../web/pages/account/notices.ts'
import { picturesSection } from '../../web/pages/pictures/pictures-section.ts'
import {
  EMAIL_FORM,
  PROFILE,
  type ProfileFields,
  profilePage,
  SEARCH_FORM,
} from '../../web/pages/profiles/profile-page.ts'
import type { PersonCaller } from '../caller.ts'
import type { FormProblem } from '../http/pages/form-problem.ts'
import { DoneQuery, doneAt, ownForm, ownView, showOwn } from '../http/pages/own-page.ts'
import type { Page, PageContext, ShownPage } from '../http/pages/page.ts'
import { messagePolicy } from '../messages/messages.ts'
import { readPersonImage } from '../pictures/pictures.ts'
import { changeEmail, changeSettings, readSettings } from './profiles.ts'
import { ChangeEmail, ChangeSettings } from './schema.ts'

const { publicSearch, ...said } = ChangeSettings.properties
const ProfileForm = Type.Object(said)
/** A box that is not ticked is not sent. */
const SearchForm = Type.Object({ publicSearch })
/** What is missing is told on the page itself. */
const EmailForm = Type.Partial(ChangeEmail)

/** Which form could not be used, why, and what was typed. */
interface Failure {
  readonly form: string
  readonly problem: FormProblem
  readonly typed?: Partial<ProfileFields>
}

/** The page of one's profile, for the forms of this room and of pictures. */
export async function lookAtProfile(
  { db, csrfToken: keyOf }: PageContext,
  who: PersonCaller,
  { notice, failure }: { readonly notice?: string | undefined; readonly failure?: Failure } = {},
): Promise<ShownPage> {
  const [settings, picture, cover] = await Promise.all([
    readSettings(db, who),
    readPersonImage(db, who, { kind: 'picture', size: 64 }),
    readPersonImage(db, who, { kind: 'cover', size: 640 }),
  ])
  const problem = failure && { form: failure.form, sentence: failure.problem.sentence }
  const isChild = settings.userType === 'child'
  const { firstName, lastName, country } = settings
  const fields = { ...settings, ...failure?.typed, ...(isChild && { firstName, lastName, country }) }
  const own = { picture: !picture.isDefault, cover: !cover.isDefault }
  return showOwn(settings, {
    section: 'profile',
    title: 'Your profile',
    problem: failure?.problem,
    body: profilePage({
      fields,
      email: settings.email,
      isChild,
      keyOf,
      notice,
      problem,
      pictures: picturesSection({ own, keyOf, problem }),
    }),
  })
}

const back = () => PROFILE

export const profilePages: readonly Page[] = [
  ownView({
    name: 'profilePage',
    path: PROFILE,
    input: DoneQuery,
    run: (context, who, { done }) => lookAtProfile(context, who, { notice: findNotice(done) }),
  }),
  ownForm({
    name: 'profileForm',
    path: PROFILE,
    input: ProfileForm,
    back,
    run: async ({ db }, who, input) => {
      await changeSettings(db, who, input)
      return doneAt(PROFILE, 'profile-saved')
    },
    showProblem: (context, who, typed, problem) =>
      lookAtProfile(context, who, { failure: { form: PROFILE, problem, typed } }),
  }),
  ownForm({
    name: 'searchSettingForm',
    path: SEARCH_FORM,
    input: SearchForm,
    back,
    run: async ({ db }, who, { publicSearch = false }) => {
      await changeSettings(db, who, { publicSearch })
      return doneAt(PROFILE, publicSearch ? 'search-on' : 'search-off')
    },
    showProblem: (context, who, _typed, problem) =>
      lookAtProfile(context, who, { failure: { form: SEARCH_FORM, problem } }),
  }),
  ownForm({
    name: 'emailForm',
    path: EMAIL_FORM,
    input: EmailForm,
    back,
    run: async ({ db, environment }, who, { email = '', password = '' }) => {
      // An empty field is no password, and no failed try either.
      const proof = password === '' ? {} : { password }
      await changeEmail(db, who, { email, ...proof }, environment.get(messagePolicy))
      return doneAt(PROFILE, 'email-changed')
    },
    showProblem: (context, who, { email = '' }, problem) =>
      lookAtProfile(context, who, { failure: { form: EMAIL_FORM, problem, typed: { email } } }),
  }),
]
