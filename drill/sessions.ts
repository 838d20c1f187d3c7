import { type Answer, bearer, type Client, describe, isSuccess } from './client.ts'
import type { Ledger, Report, Session } from './ledger.ts'
import type { Run } from './run.ts'
import { APP, type Person, REDIRECT_URI, signInWithBasic } from './school.ts'

/** Number of refreshes of a session before it is left alone. */
const REFRESHES = 6
/** Number of sessions that a person leaves open. The platform allows 100. */
const KEPT = 4

interface Tokens {
  readonly accessToken: string
  readonly refreshToken: string
}

/** Signs a person in, alternately with a code and with the password, refreshes the session, and signs out later. */
export async function driveSessions(run: Run, person: Person): Promise<void> {
  const kept: Session[] = []
  for (let n = 0; !run.isOver(); n++) {
    const tokens = await (n % 2 === 0 ? signInWithCode : signInWithPassword)(run, person)
    await run.pause()
    if (!tokens) continue
    const session: Session = { handle: person.handle, ...tokens, state: 'open' }
    run.ledger.sessions.push(session)
    for (let i = 0; i < REFRESHES && !run.isOver() && session.state === 'open'; i++) {
      await refresh(run, session)
      await run.pause()
    }
    kept.push(session)
    if (kept.length > KEPT && !run.isOver()) await end(run, kept.shift()!)
  }
}

async function signInWithPassword({ client, ledger }: Run, { handle }: Person): Promise<Tokens | undefined> {
  const answer = await client.write(ledger.watch, 'sign-in', signInWithBasic(handle, APP.client_id))
  const [accessToken, refreshToken] = ['access_token', 'refresh_token'].map((name) => answer.headers.get(name))
  if (accessToken && refreshToken) return { accessToken, refreshToken }
  ledger.report('sign-in', 'unexpected', `${handle} was not signed in: ${describe(answer)}`)
  return undefined
}

/** A code whose answer is lost cannot be used again, so the app then starts over with another code. */
async function signInWithCode(
  { client, ledger, isOver }: Run,
  { handle, cookie }: Person,
): Promise<Tokens | undefined> {
  const query = { response_type: 'code', client_id: APP.client_id, redirect_uri: REDIRECT_URI }
  while (!isOver()) {
    const page = await client.write(ledger.watch, 'sign-in', {
      method: 'GET',
      path: '/oauth/signin',
      query,
      headers: { cookie },
    })
    const code = URL.parse(page.headers.get('location') ?? '')?.searchParams.get('code')
    if (!code) {
      ledger.report('sign-in', 'unexpected', `${handle} got no code: ${describe(page)}`)
      return undefined
    }
    const body = { grant_type: 'authorization_code', code, ...APP }
    const answer = await client.writeOnce(ledger.watch, 'sign-in', { method: 'POST', path: '/oauth/token', body })
    if (answer?.status === 200) return tokensOf(answer)
    if (answer) {
      ledger.report('sign-in', 'unexpected', `${handle}'s code was refused: ${describe(answer)}`)
      return undefined
    }
  }
  return undefined
}

const tokensOf = ({ body }: Answer): Tokens => ({ accessToken: body.access_token, refreshToken: body.refresh_token })

async function refresh({ client, ledger }: Run, session: Session): Promise<void> {
  const body = { grant_type: 'refresh_token', refresh_token: session.refreshToken, ...APP }
  const startedMs = performance.now()
  session.state = 'unknown'
  const answer = await client.write(ledger.watch, 'sign-in', { method: 'POST', path: '/oauth/token', body })
  if (answer.status === 200) {
    Object.assign(session, tokensOf(answer))
    session.state = 'open'
    return
  }
  session.state = 'lost'
  const seconds = Math.round((performance.now() - startedMs) / 1000)
  ledger.report('session', 'lost', `a session of ${session.handle}, refreshed for ${seconds} s: ${describe(answer)}`)
}

async function end({ client, ledger }: Run, session: Session): Promise<void> {
  if (session.state !== 'open') return
  session.state = 'unknown'
  const body = { refresh_token: session.refreshToken }
  const answer = await client.write(ledger.watch, 'sign-in', { method: 'POST', path: '/oauth/logout', body })
  if (isSuccess(answer)) session.state = 'ended'
  else ledger.report('sign-in', 'unexpected', `${session.handle} could not sign out: ${describe(answer)}`)
}

/** Checks that each session is open or ended, as was acknowledged last. */
export async function checkSessions(client: Client, ledger: Ledger, report: Report): Promise<void> {
  for (const { handle, refreshToken, accessToken, state } of ledger.sessions) {
    if (state !== 'open' && state !== 'ended') continue
    const query = { refresh_token: refreshToken }
    const session = await client.read({ method: 'GET', path: '/oauth/session/validate', query })
    const token = await client.read({ method: 'GET', path: '/oauth/token/validate', headers: bearer(accessToken) })
    if (state === 'ended' && (isSuccess(session) || isSuccess(token)))
      report('session', 'lost', `the end of a session of ${handle}`)
    if (state === 'open' && !(isSuccess(session) && isSuccess(token))) {
      const why = [session, token].map(describe).join(' and ')
      report('session', 'lost', `a session of ${handle}: ${why}`)
    }
  }
}
