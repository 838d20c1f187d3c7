import assert from 'node:assert/strict'
import { call } from '../../apps/account/testing.ts'
import { SEARCH_VERSION } from '../../identity/people/search-keys.ts'
import { service } from '../../kernel/environment.ts'
import { textResolver } from '../../kernel/outbound/resolver.ts'
import { openReceiver } from '../../kernel/outbound/testing.ts'
import { INVITATION_ID, MOMENT, PROVIDER_ISSUER } from '../../kernel/samples.ts'
import { type Prepare, requestOf } from './testing-scene.ts'

/** Makes somebody a member of Sandhills. */
const addMember =
  (handle: string, role: string): Prepare =>
  ({ app }) =>
    app.sql(
      `insert into organisation_members (organisation_id, person_id, role)
       select o.id, p.id, '${role}' from organisations o, people p where o.key = 'sandhills' and p.handle = '${handle}'`,
    )

/** A server that describes itself as an OpenID provider. */
const demoProvider = service(
  () => {
    const ends: (() => unknown)[] = []
    const receiver = openReceiver({ after: (end) => ends.push(end) }, (response, _received, { headers }) => {
      const issuer = `http://${headers.host}`
      response.end(
        JSON.stringify({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
        }),
      )
    })
    return { receiver, ends }
  },
  ({ ends }) => {
    for (const end of ends) end()
  },
)
const openProvider: Prepare = async ({ app, real }) => {
  real[PROVIDER_ISSUER] = (await app.environment().get(demoProvider).receiver).address
}
const connectProvider: Prepare = async (scene) => {
  await openProvider(scene)
  const request = { ...requestOf('setProvider'), issuer: scene.real[PROVIDER_ISSUER] }
  const { status, text } = await call(scene.browser, 'POST', '/edu/v1/organisation/provider', request)
  assert.equal(status, 200, text)
}
const addDomain: Prepare = async ({ app, browser }) => {
  const { body } = await call(browser, 'POST', '/edu/v1/organisation/provider/domain', requestOf('addProviderDomain'))
  app.environment().provide(textResolver, async () => [body.domains[0].value])
}

/** Connects Ellis to the provider of their organisation. */
const connectEllis: Prepare = async (scene) => {
  await connectProvider(scene)
  await addMember('@ellis', 'member')(scene)
  await scene.app.sql(
    `update providers set mode = 'allowed';
     insert into provider_identities (organisation_id, issuer, subject, person_id, linked_at, last_used_at)
     select v.organisation_id, v.issuer, 'ellis', p.id, now(), now() from providers v, people p where p.handle = '@ellis'`,
  )
}

/** Inserts an invitation of Casey: to Sandhills or, with a class, to that class. It was sent two days ago. */
const invite =
  (handle: string, role: string, classId?: string): Prepare =>
  ({ app }) =>
    app.sql(
      `insert into invitations (key, organisation_id, class_id, role, handle, handle_key, person_id, inviter_id, sent_at, expires_at)
       select '${INVITATION_ID}', o.id, (select id from classes where key = '${classId ?? ''}'), '${role}', p.handle, p.handle_key, p.id, w.id,
              now() - interval '2 days', now() + interval '12 days'
         from organisations o, people p, people w where o.key = 'sandhills' and p.handle = '${handle}' and w.handle = '@casey'`,
    )
const inviteEllis = invite('@ellis', 'instructor')
const inviteDrew = invite('@drew', 'student', 'class-alpha')
const inviteAddress: Prepare = async (world) => {
  await inviteDrew(world)
  await world.app.sql(
    `update invitations set handle = 'noor@example.org', handle_key = 'noor@example.org', person_id = null`,
  )
}

/** Preparations that the examples about organisations, sign-in providers, members and invitations need. */
export const ORGANISATION_PREPARATIONS: Readonly<Record<string, Prepare>> = {
  readProvider: connectProvider,
  setProvider: openProvider,
  setProviderMode: async (scene) => {
    await connectProvider(scene)
    await scene.app.sql('update providers set tested_version = version, tested_at = now()')
  },
  removeProvider: connectProvider,
  proveProviderDomain: addDomain,
  removeProviderDomain: addDomain,
  listProviderFailures: ({ app }) =>
    app.sql(
      `insert into provider_failures (organisation_id, at, reference, problem, claim, found, expected)
       select id, now(), 'KXWNRTBD', 'The ID token had already expired: check the clock of the provider', 'exp',
              '${MOMENT}', 'after ${MOMENT}' from organisations where key = 'sandhills'`,
    ),
  listConnections: connectEllis,
  removeConnection: connectEllis,
  unlinkProviderIdentity: async (scene) => {
    await connectProvider(scene)
    await addMember('@drew', 'member')(scene)
    await scene.app.sql(
      `insert into provider_identities (organisation_id, issuer, subject, person_id, linked_at, last_used_at)
       select v.organisation_id, v.issuer, 'drew', p.id, now(), now() from providers v, people p where p.handle = '@drew'`,
    )
  },
  listOrganisationMembers: addMember('@drew', 'instructor'),
  removeOrganisationMember: addMember('@drew', 'instructor'),
  // Another owner lets every member leave, including the first owner.
  leaveOrganisation: async (scene) => {
    await scene.app.sql(
      `insert into people (handle, handle_key, search_version, created_at) values ('@deputy', 'deputy', ${SEARCH_VERSION}, now())`,
    )
    await addMember('@deputy', 'owner')(scene)
  },
  listInvitations: inviteEllis,
  acceptInvitation: inviteEllis,
  declineInvitation: inviteEllis,
  listSentInvitations: inviteDrew,
  resendInvitation: inviteDrew,
  withdrawInvitation: inviteDrew,
  correctInvitation: inviteAddress,
}
