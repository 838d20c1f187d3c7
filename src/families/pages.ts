import { findNotice } from '../../web/pages/account/notices.ts'
import { CHILD_FORMS, type ChildForm, childPage } from '../../web/pages/families/child-page.ts'
import { CHILD, CHILDREN, childPath, childrenPage, type NewChild } from '../../web/pages/families/children-page.ts'
import { fullName } from '../../web/pages/friends/friends-page.ts'
import type { PersonCaller } from '../caller.ts'
import { fail } from '../errors.ts'
import { circlePages } from '../friends/circle-pages.ts'
import { parseDate } from '../http/input/dates.ts'
import type { FormProblem } from '../http/pages/form-problem.ts'
import { DoneQuery, doneAt, ownForm, ownView, showOwn } from '../http/pages/own-page.ts'
import type { Page, PageContext, ShownPage } from '../http/pages/page.ts'
import { messagePolicy } from '../messages/messages.ts'
import { readTicked } from '../passkeys/pages.ts'
import { leavingPolicy } from '../people/deletion.ts'
import { isSameHandle } from '../people/handles.ts'
import { MIN_PASSWORD_LENGTH } from '../people/passwords.ts'
import { readSettings } from '../profiles/profiles.ts'
import {
  actForChild,
  addChild,
  changeChild,
  deleteChild,
  leaveChild,
  listChildPasskeys,
  listChildren,
  readChildFriends,
  setChildPassword,
} from './families.ts'
import {
  type Child,
  ChildDecisionsForm,
  ChildEmailForm,
  ChildNamesForm,
  ChildPasswordForm,
  ChildQuery,
  DeleteChildForm,
  NameForm,
  NewChildForm,
} from './schema.ts'

const FRIENDS = '/account/children/friends'
const MOST_REQUESTS = 20
const minLength = MIN_PASSWORD_LENGTH

async function lookAtChildren(
  { db, csrfToken: keyOf }: PageContext,
  who: PersonCaller,
  { notice, problem, typed }: { notice?: string | undefined; problem?: FormProblem; typed?: NewChild } = {},
): Promise<ShownPage> {
  const [children, settings] = await Promise.all([listChildren(db, who), readSettings(db, who)])
  const isAdult = settings.userType === 'adult'
  return showOwn(settings, {
    section: 'children',
    title: 'Children',
    problem,
    body: childrenPage({ children, isAdult, minLength, keyOf, notice, problem: problem?.sentence, typed }),
  })
}

/** One of one's own children; nobody else's, and nobody who is 13. */
async function readChild({ db }: PageContext, who: PersonCaller, handle: string): Promise<Child> {
  const child = (await listChildren(db, who)).find((one) => isSameHandle(one.handle, handle))
  if (!child) throw fail('notFound', 'You look after no child with that handle')
  return child
}

const circleOf = (child: Child) => ({
  base: FRIENDS,
  child: { handle: child.handle, name: fullName(child) },
  canAsk: true,
})

interface Failure {
  readonly form: ChildForm
  readonly problem: FormProblem
  readonly typed?: Partial<Pick<Child, 'firstName' | 'lastName' | 'country' | 'email'>>
  /** The passkeys whose boxes were ticked. */
  readonly ticked?: readonly string[]
}

async function lookAtChild(
  context: PageContext,
  who: PersonCaller,
  handle: string,
  { notice, failure }: { notice?: string | undefined; failure?: Failure } = {},
): Promise<ShownPage> {
  const child = await readChild(context, who, handle)
  const [{ received }, passkeys, settings] = await Promise.all([
    readChildFriends(context.db, who, child),
    listChildPasskeys(context.db, who, child),
    readSettings(context.db, who),
  ])
  return showOwn(settings, {
    section: 'children',
    title: fullName(child),
    problem: failure?.problem,
    body: childPage({
      child,
      typed: failure?.typed,
      circle: circleOf(child),
      received: received.slice(0, MOST_REQUESTS),
      passkeys: { passkeys, now: who.at, ticked: failure?.ticked ?? [] },
      minLength,
      keyOf: context.csrfToken,
      notice,
      problem: failure && { form: failure.form, sentence: failure.problem.sentence },
    }),
  })
}

function readNewPassword({ new_password: password = '', again = '' }: { new_password?: string; again?: string }) {
  if (password !== again) throw fail('validationFailed', 'The two passwords are not the same')
  return password
}

function readBirth(text: string): string {
  const born = parseDate(text.trim())
  if (!born) throw fail('validationFailed', 'Type the date of birth as year, month and day, such as 2019-12-31')
  return born.toISOString()
}

/** An empty field is no password, and no failed try either. */
const proof = (password: string) => (password === '' ? {} : { password })

const toChild = ({ handle = '' }: { handle?: string }) => childPath(handle)

export const familyPages: readonly Page[] = [
  ownView({
    name: 'childrenPage',
    path: CHILDREN,
    input: DoneQuery,
    run: (context, who, { done }) => lookAtChildren(context, who, { notice: findNotice(done) }),
  }),
  ownForm({
    name: 'addChildForm',
    path: CHILDREN,
    input: NewChildForm,
    back: () => CHILDREN,
    run: async ({ db }, who, input) => {
      const { handle = '', firstName = '', lastName = '', dateOfBirth = '' } = input
      const password = readNewPassword(input)
      const child = await addChild(db, who, {
        handle: handle.trim(),
        firstName,
        lastName,
        dateOfBirth: readBirth(dateOfBirth),
        ...(password === '' ? {} : { password }),
      })
      return doneAt(childPath(child.handle), 'child-added')
    },
    showProblem: (context, who, typed, problem) => lookAtChildren(context, who, { problem, typed }),
  }),
  ownView({
    name: 'childPage',
    path: CHILD,
    input: ChildQuery,
    run: async (context, who, { handle = '', done }) => {
      if (handle === '') return { redirect: CHILDREN }
      return lookAtChild(context, who, handle, { notice: findNotice(done) })
    },
  }),
  ownForm({
    name: 'childDecisionsForm',
    path: CHILD_FORMS.decisions,
    input: ChildDecisionsForm,
    back: toChild,
    // A box that is not ticked is not sent.
    run: async ({ db, environment }, who, { handle = '', ...ticked }) => {
      const { publicSearch = false, cameraDisabled = false, proximityFriends = false } = ticked
      const decisions = { publicSearch, cameraDisabled, proximityFriends }
      await changeChild(db, who, { handle, ...decisions }, environment.get(messagePolicy))
      return doneAt(childPath(handle), 'child-saved')
    },
    showProblem: (context, who, { handle = '' }, problem) =>
      lookAtChild(context, who, handle, { failure: { form: 'decisions', problem } }),
  }),
  ownForm({
    name: 'childNamesForm',
    path: CHILD_FORMS.names,
    input: ChildNamesForm,
    back: toChild,
    run: async ({ db, environment }, who, { handle = '', ...names }) => {
      await changeChild(db, who, { handle, ...names }, environment.get(messagePolicy))
      return doneAt(childPath(handle), 'child-saved')
    },
    showProblem: (context, who, { handle = '', ...typed }, problem) =>
      lookAtChild(context, who, handle, { failure: { form: 'names', problem, typed } }),
  }),
  ownForm({
    name: 'childEmailForm',
    path: CHILD_FORMS.email,
    input: ChildEmailForm,
    back: toChild,
    run: async ({ db, environment }, who, { handle = '', email = '', password = '' }) => {
      await changeChild(db, who, { handle, email, ...proof(password) }, environment.get(messagePolicy))
      return doneAt(childPath(handle), 'child-saved')
    },
    showProblem: (context, who, { handle = '', email = '' }, problem) =>
      lookAtChild(context, who, handle, { failure: { form: 'email', problem, typed: { email } } }),
  }),
  ownForm({
    name: 'childPasswordForm',
    path: CHILD_FORMS.password,
    input: ChildPasswordForm,
    back: toChild,
    run: async ({ db, environment }, who, { handle = '', password = '', ...fields }) => {
      const newPassword = readNewPassword(fields)
      const what = { handle, newPassword, removePasskeys: readTicked(fields), ...proof(password) }
      await setChildPassword(db, who, what, environment.get(messagePolicy))
      return doneAt(childPath(handle), 'child-password')
    },
    showProblem: (context, who, { handle = '', ...fields }, problem) =>
      lookAtChild(context, who, handle, { failure: { form: 'password', problem, ticked: readTicked(fields) } }),
  }),
  ownForm({
    name: 'leaveChildForm',
    path: CHILD_FORMS.leave,
    input: NameForm,
    back: toChild,
    run: async ({ db }, who, { handle = '' }) => {
      await leaveChild(db, who, { handle })
      return doneAt(CHILDREN, 'child-left')
    },
    showProblem: (context, who, { handle = '' }, problem) =>
      lookAtChild(context, who, handle, { failure: { form: 'leave', problem } }),
  }),
  ownForm({
    name: 'deleteChildForm',
    path: CHILD_FORMS.delete,
    input: DeleteChildForm,
    back: toChild,
    run: async ({ db, environment }, who, { handle = '', password = '' }) => {
      await deleteChild(db, who, { handle, ...proof(password) }, environment.get(leavingPolicy))
      return doneAt(CHILDREN, 'child-deleted')
    },
    showProblem: (context, who, { handle = '' }, problem) =>
      lookAtChild(context, who, handle, { failure: { form: 'delete', problem } }),
  }),
  ...circlePages({
    base: FRIENDS,
    section: 'children',
    name: 'childFriends',
    look: async (context, who, handle) => {
      const child = await readChild(context, who, handle)
      return { lists: await readChildFriends(context.db, who, child), circle: circleOf(child) }
    },
    act: ({ db }, who, { child, friend, verb }) => actForChild(db, who, { handle: child, friend, verb }),
  }),
]
