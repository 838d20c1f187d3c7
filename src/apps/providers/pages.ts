import type { Static } from 'typebox'
import { PROVIDER, readProof } from '../../kernel/browsers/required.ts'
import { findPerson, isRecent, type PersonCaller } from '../../kernel/caller.ts'
import { fail } from '../../kernel/errors.ts'
import { readProblem } from '../../kernel/http/pages/form-problem.ts'
import { readNext, withNext } from '../../kernel/http/pages/next.ts'
import {
  formPage,
  type Page,
  type PageAnswer,
  type PageContext,
  type PageRedirect,
  type ShownPage,
  viewPage,
} from '../../kernel/http/pages/page.ts'
import {
  providerFailurePage,
  providerPage,
  signedOutOfPage,
  testFailurePage,
  testResultPage,
} from '../../kernel/pages/account/provider-pages.ts'
import { findConnected } from './connections.ts'
import { NameCallback, ProviderFields, SignedOutQuery } from './page-schema.ts'
import {
  type Failed,
  findUsable,
  finishSignIn,
  hostOf,
  MAX_NEXT,
  type SignInStart,
  startSignIn,
  type Tested,
} from './signin.ts'
import { readSignedOut } from './signout.ts'
import { describeClaims, readTested, sayOutcome } from './trial.ts'

const SIGN_IN = '/account/signin'
const TEST = `${PROVIDER}/test`

/** The page that people see first after signing in. */
const HOME = '/account'

type Fields = Static<typeof ProviderFields>
type Provider = NonNullable<Awaited<ReturnType<typeof findUsable>>>

/** The purpose of CSRF tokens. It contains what the form asks for, so that it cannot be sent for something else. */
const purposeOf = ({ organisation = '', connect = false }: Fields): string =>
  `provider.${connect ? 'connect' : 'start'} ${organisation}`
const testPurpose = ({ organisation = '' }: Fields): string => `provider.test ${organisation}`

/** An organisation without a usable provider looks like one that does not exist. */
async function readUsable({ db }: PageContext, organisation = ''): Promise<Provider> {
  const provider = await findUsable(db, organisation)
  if (!provider) throw fail('notFound', 'Nobody signs in at this address')
  return provider
}

/** Whom the form is about: nobody yet, or a person who has proven who they are and connects their account. */
type Start =
  | { readonly redirect: string }
  | { readonly reason: 'sign-in' | 'required' | 'connect'; readonly start: Pick<SignInStart, 'purpose' | 'person'> }

async function readStart(context: PageContext, provider: Provider, fields: Fields): Promise<Start> {
  const { db, who, environment, request } = context
  if (fields.proof !== undefined) {
    const proven = readProof(environment, who, fields.proof)
    // The person would get a second account if their own could not be connected any more.
    const isKnown = proven && (await findConnected(db, { provider, personId: proven.personId }))
    if (isKnown === undefined) return { redirect: withNext(SIGN_IN, readNext(fields.next)) }
    return {
      reason: 'required',
      start: isKnown ? { purpose: 'sign-in' } : { purpose: 'link', person: proven },
    }
  }
  if (fields.connect !== true) return { reason: 'sign-in', start: { purpose: 'sign-in' } }
  const person = findPerson(who)
  if (person && isRecent(person)) return { reason: 'connect', start: { purpose: 'link', person } }
  const back = request.method === 'GET' ? request.url : `${PROVIDER}?${queryOf(provider, fields)}`
  return { redirect: `${SIGN_IN}?${new URLSearchParams({ again: 'true', next: back })}` }
}

const queryOf = ({ key }: Provider, { next, connect }: Fields): string =>
  String(
    new URLSearchParams({
      organisation: key,
      ...(connect === true && { connect: 'true' }),
      ...(next !== undefined && { next }),
    }),
  )

async function show(context: PageContext, fields: Fields, problem?: string): Promise<PageAnswer> {
  const provider = await readUsable(context, fields.organisation)
  const found = await readStart(context, provider, fields)
  if ('redirect' in found) return found
  const { proof, connect, keep } = fields
  const next = readNext(fields.next, MAX_NEXT)
  const hidden = {
    organisation: provider.key,
    ...(next !== undefined && { next }),
    ...(proof !== undefined && { proof }),
    ...(connect === true && { connect: 'true' }),
    ...(keep === true && { keep: 'true' }),
  }
  return {
    title: `Sign in with ${provider.name}`,
    leadsToApp: true,
    ...(problem !== undefined && { status: 403 }),
    body: providerPage({
      name: provider.name,
      host: hostOf(provider),
      reason: found.reason,
      handle: context.who.person?.handle,
      problem,
      hidden,
      ...(found.reason !== 'connect' && { otherWays: withNext(SIGN_IN, next) }),
      action: PROVIDER,
      csrfToken: context.csrfToken(purposeOf({ organisation: provider.key, connect: connect === true })),
    }),
  }
}

async function start(context: PageContext, fields: Fields): Promise<PageAnswer> {
  const provider = await readUsable(context, fields.organisation)
  const found = await readStart(context, provider, fields)
  if ('redirect' in found) return found
  const { keep: isKept = false } = fields
  const next = readNext(fields.next, MAX_NEXT)
  return { redirect: await startSignIn(context, provider, { ...found.start, next, isKept }) }
}

const settingsOf = ({ key }: Provider): string => `/console/organisations/${encodeURIComponent(key)}/provider`

function showFailure(failed: Failed): ShownPage {
  const { provider, sentence, reference, status, next } = failed
  if (failed.isTest && provider)
    return {
      title: 'Test of the sign-in',
      status,
      body: testFailurePage({
        sentence,
        reference,
        again: `${TEST}?${new URLSearchParams({ organisation: provider.key })}`,
        settings: settingsOf(provider),
      }),
    }
  const path = next ?? undefined
  return {
    title: 'You are not signed in',
    status,
    body: providerFailurePage({
      sentence,
      reference,
      again:
        provider && provider.mode !== 'off'
          ? `${PROVIDER}?${queryOf(provider, path === undefined ? {} : { next: path })}`
          : undefined,
      otherWays: withNext(SIGN_IN, path),
    }),
  }
}

const showTested = (tested: Tested): ShownPage => ({
  title: 'Test of the sign-in',
  body: testResultPage({
    name: tested.provider.name,
    outcome: sayOutcome(tested),
    claims: describeClaims(tested),
    settings: settingsOf(tested.provider),
  }),
})

/** Returns the provider that a manager tests, or where they sign in first. */
async function findTester(
  context: PageContext,
  { organisation = '' }: Fields,
): Promise<{ provider: Provider; person: PersonCaller } | PageRedirect> {
  const person = findPerson(context.who)
  const back = `${TEST}?${new URLSearchParams({ organisation })}`
  if (!person || !isRecent(person))
    return { redirect: `${SIGN_IN}?${new URLSearchParams({ again: 'true', next: back })}` }
  return { provider: await readTested(context.db, person, organisation), person }
}

async function showTest(context: PageContext, fields: Fields, problem?: string): Promise<PageAnswer> {
  const found = await findTester(context, fields)
  if ('redirect' in found) return found
  const { provider } = found
  return {
    title: 'Test of the sign-in',
    leadsToApp: true,
    ...(problem !== undefined && { status: 403 }),
    body: providerPage({
      name: provider.name,
      host: hostOf(provider),
      reason: 'test',
      problem,
      hidden: { organisation: provider.key },
      action: TEST,
      csrfToken: context.csrfToken(testPurpose({ organisation: provider.key })),
    }),
  }
}

const EXPIRED = 'This page had expired, or your browser blocks cookies. Continue again.'

/** The pages for signing in with the provider of an organisation. They work without JavaScript. */
export const providerPages: readonly Page[] = [
  viewPage({
    name: 'providerPage',
    path: PROVIDER,
    input: ProviderFields,
    run: (context, fields) => show(context, fields),
  }),
  formPage({
    name: 'providerForm',
    path: PROVIDER,
    input: ProviderFields,
    from: 'body',
    purpose: purposeOf,
    showAgain: (context, fields) => show(context, fields, EXPIRED),
    run: async (context, fields) => {
      try {
        return await start(context, fields)
      } catch (error) {
        return show(context, fields, readProblem(error).sentence)
      }
    },
  }),
  viewPage({
    name: 'providerCallbackPage',
    path: `${PROVIDER}/{organisation}/callback`,
    input: NameCallback,
    run: async (context, { organisation = '' }) => {
      const { url } = context.request
      const response = new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '')
      const finished = await finishSignIn(context, { organisation, response })
      switch (finished.kind) {
        case 'failed':
          return showFailure(finished)
        case 'tested':
          return showTested(finished)
        case 'signed-in':
          return { redirect: finished.next ?? HOME, browser: finished.browser }
      }
    },
  }),
  viewPage({
    name: 'providerTestPage',
    path: TEST,
    input: ProviderFields,
    run: (context, fields) => showTest(context, fields),
  }),
  formPage({
    name: 'providerTestForm',
    path: TEST,
    input: ProviderFields,
    from: 'body',
    purpose: testPurpose,
    showAgain: (context, fields) => showTest(context, fields, EXPIRED),
    run: async (context, fields) => {
      const found = await findTester(context, fields)
      if ('redirect' in found) return found
      const { provider, person } = found
      return { redirect: await startSignIn(context, provider, { purpose: 'test', person }) }
    },
  }),
  viewPage({
    name: 'providerSignedOutPage',
    path: `${PROVIDER}/signed-out`,
    input: SignedOutQuery,
    run: async ({ environment, who }, query) => {
      const { provider, continueAt } = await readSignedOut(environment, who, query)
      if (!provider && continueAt !== undefined) return { redirect: continueAt }
      return { title: 'Signed out', body: signedOutOfPage({ provider, continueAt }) }
    },
  }),
]
