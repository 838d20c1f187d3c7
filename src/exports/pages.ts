import { Type } from 'typebox'
import { DATA, DELETE_FORM, DOWNLOAD_FORM, dataPage } from '../../web/pages/exports/data-page.ts'
import type { PersonCaller } from '../caller.ts'
import { isLookedAfter } from '../families/release.ts'
import { Nothing } from '../http/input/fields.ts'
import type { FormProblem } from '../http/pages/form-problem.ts'
import { doneAt, ownForm, ownView, showOwn } from '../http/pages/own-page.ts'
import type { Page, PageContext, ShownPage } from '../http/pages/page.ts'
import { deleteOwnAccount, leavingPolicy } from '../people/deletion.ts'
import { DeleteAccount } from '../people/schema.ts'
import { readSettings } from '../profiles/profiles.ts'
import { exportEverything } from './exports.ts'
import { Export } from './schema.ts'

/** What is missing is told on the page itself. */
const DeleteForm = Type.Partial(DeleteAccount)

interface Failure {
  readonly form: string
  readonly problem: FormProblem
  readonly typed?: string
}

async function lookAtData(
  { db, csrfToken: keyOf }: PageContext,
  who: PersonCaller,
  failure?: Failure,
): Promise<ShownPage> {
  const [settings, hasParent] = await Promise.all([readSettings(db, who), isLookedAfter(db, who, who.personId)])
  return showOwn(settings, {
    section: 'data',
    title: 'Your data',
    problem: failure?.problem,
    body: dataPage({
      handle: who.handle,
      hasParent,
      isParent: settings.accountType === 'Parent',
      keyOf,
      problem: failure && { form: failure.form, sentence: failure.problem.sentence },
      typed: failure?.typed,
    }),
  })
}

/** An empty field is no password, and no failed try either. */
const proof = ({ password = '' }: { password?: string }) => (password === '' ? {} : { password })

export const exportPages: readonly Page[] = [
  ownView({ name: 'dataPage', path: DATA, input: Nothing, run: (context, who) => lookAtData(context, who) }),
  ownForm({
    name: 'downloadForm',
    path: DOWNLOAD_FORM,
    input: Export,
    back: () => DATA,
    run: async ({ db, environment }, who, input) => ({
      download: await exportEverything(db, who, proof(input), environment),
    }),
    showProblem: (context, who, _typed, problem) => lookAtData(context, who, { form: DOWNLOAD_FORM, problem }),
  }),
  ownForm({
    name: 'deleteAccountForm',
    path: DELETE_FORM,
    input: DeleteForm,
    back: () => DATA,
    run: async ({ db, environment }, who, { handle = '', ...input }) => {
      await deleteOwnAccount(db, who, { handle, ...proof(input) }, environment.get(leavingPolicy))
      return { ...doneAt('/account', 'account-deleted'), browser: 'end' }
    },
    showProblem: (context, who, { handle: typed = '' }, problem) =>
      lookAtData(context, who, { form: DELETE_FORM, problem, typed }),
  }),
]
