import assert from 'node:assert/strict'
import { call } from '../../apps/account/testing.ts'
import { ask, signInToPlugin } from '../../extensions/ato/testing.ts'
import { service } from '../../kernel/environment.ts'
import { openReceiver } from '../../kernel/outbound/testing.ts'
import {
  ATO_DISTRIBUTION_ID,
  ATO_PACKAGE_ID,
  ATO_REQUEST_ID,
  BADGE_ID,
  DELIVERY_ID,
  MOMENT,
  PLAN_ID,
  PLUGIN_USER_ID,
  SEARCH_ID,
} from '../../kernel/samples.ts'
import { Client, type TestApp } from '../testing/testing.ts'
import { doWalkaround } from './testing-preparations-learning.ts'
import { type Addition, type Prepare, requestOf, type Scene } from './testing-scene.ts'

const makePackage: Prepare = async ({ browser, real }) => {
  const request = requestOf('addAtoPackage')
  real[ATO_PACKAGE_ID] = (await ask(browser, 'PUT', '/package', request)).packageId
}
const makeDistribution: Prepare = async ({ browser, real }) => {
  const request = requestOf('addAtoDistribution')
  const made = await ask(browser, 'PUT', '/distribution', { ...request, packageId: real[ATO_PACKAGE_ID] })
  real[ATO_DISTRIBUTION_ID] = made.distributions[0].id
}
const makeFullPackage: Prepare = async (scene) => {
  await makePackage(scene)
  await makeDistribution(scene)
}
const startRequest: Prepare = async (scene) => {
  await makePackage(scene)
  const request = requestOf('startAtoRequest')
  const { browser, real } = scene
  real[ATO_REQUEST_ID] = (
    await ask(browser, 'PUT', '/request', { ...request, packageId: real[ATO_PACKAGE_ID] })
  ).requestId
}
const startAndSignIn: Prepare = async (scene) => {
  await startRequest(scene)
  scene.user = await signInToPlugin(scene.app, 'ellis', 'demo-ato')
}

/** Makes Avery a user of the AI plugin, and gives Avery some skills. */
const introduceAvery = (app: TestApp) =>
  app.sql(
    `insert into plugin_users (user_id, plugin_id, person_id)
     select '${PLUGIN_USER_ID}', g.id, p.id from people p, plugins g join apps a on a.id = g.app_id where p.handle = '@avery' and a.client_id = 'gs-demo-ai';
     insert into skills (person_id, hobbies, skills, afsc, education, changed_at)
     select id, '{gliding}', '{radio navigation}', '11F3', '{"BSc Aeronautics, Lund"}', now() from people where handle = '@avery'`,
  )

const badge = {
  name: 'Preflight',
  image: 'https://badges.example.org/preflight.png',
  description: 'Knows every step before the first solo.',
  criteria: 'All lessons passed.',
}
const makeBadge: Prepare = async ({ browser, real }) => {
  const { body } = await call(browser, 'PUT', '/edu/v1/badge', { ...badge, courseId: 'course-preflight' })
  real[BADGE_ID] = body.badgeId
}

const PLANNER = 'Mission planner'
/** The response of the AI plugin's fake server to both searches. */
const ENGINE_ANSWER = JSON.stringify({
  capabilities: [
    { id: 'night', name: 'Night flying', description: 'Flies by instruments in the dark' },
    { id: 'patterns', name: 'Search patterns', description: 'Knows expanding squares and creeping lines' },
  ],
  candidates: [{ userId: PLUGIN_USER_ID, score: 0.92, reasons: ['Passed the checkride at night'] }],
})
const demoEngine = service(
  () => {
    const ends: (() => unknown)[] = []
    const receiver = openReceiver({ after: (end) => ends.push(end) }, (response) => response.end(ENGINE_ANSWER))
    return { receiver, ends }
  },
  ({ ends }) => {
    for (const end of ends) end()
  },
)

/** Makes Casey an instructor, and directs the demo AI plugin to a fake server that responds. */
const openEngine = async (app: TestApp) => {
  const { address } = await app.environment().get(demoEngine).receiver
  await app.sql(
    `insert into organisation_members (organisation_id, person_id, role)
     select o.id, p.id, 'instructor' from organisations o, people p where o.key = 'sandhills' and p.handle = '@casey';
     insert into plugin_addresses (plugin_id, purpose, uri)
     select g.id, d.purpose, '${address}' from plugins g join apps a on a.id = g.app_id, (values ('capabilities'), ('candidates')) d(purpose)
      where a.client_id = 'gs-demo-ai' on conflict do nothing`,
  )
}

const planned = async (scene: Scene, method: 'PUT' | 'POST', path: string, body: object) => {
  const answer = await call(scene.browser, method, `/planner/v1${path}`, body)
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}
const startSearch: Prepare = async (scene) => {
  const mission = { text: 'Night search over water, two aircraft', engines: ['gs-demo-ai'] }
  scene.real[SEARCH_ID] = (await planned(scene, 'PUT', '/search', mission)).searchId
}
const searchPeople: Prepare = async (scene) => {
  await startSearch(scene)
  const what = { searchId: scene.real[SEARCH_ID], capabilityIds: ['1.1', '1.2'], limit: 5 }
  await planned(scene, 'POST', '/search/candidates', what)
}
const savePlan: Prepare = async (scene) => {
  await searchPeople(scene)
  const plan = { name: 'Night search', searchId: scene.real[SEARCH_ID] }
  scene.real[PLAN_ID] = (await planned(scene, 'PUT', '/plan', plan)).planId
}

/** Inserts a delivery that the demo plugin has refused. */
const failDelivery: Prepare = ({ app }) =>
  app.sql(
    `delete from deliveries; delete from delivery_attempts;
     insert into deliveries (plugin_id, id, slot, subject, purpose, webhook_id, body, position, state, attempts, problem, created_at, settled_at)
     select p.id, 1, 0, 'request:1', 'request', '${DELIVERY_ID}', '{"requestId":"weather-2026","status":"not-started"}', 1, 'failed', 1,
            'It answered 410', '${MOMENT}', '${MOMENT}' from plugins p join apps a on a.id = p.app_id where a.client_id = 'gs-demo-ato';
     insert into delivery_attempts (plugin_id, delivery_id, slot, number, at, uri, took_ms, status, answer, problem)
     select plugin_id, id, slot, 1, '${MOMENT}', 'https://helper.example.org/request', 42, 410, 'Gone', problem from deliveries`,
  )

/** The data that the examples about AI plugins, a person's own badges and the mission planner need. */
export const PLUGIN_ADDITIONS: readonly Addition[] = [
  {
    name: 'known to the AI plugin',
    isFor: (area, name) => area === 'AI plugins' || area === PLANNER || name === 'listOwnBadges',
    add: (app) => introduceAvery(app),
  },
  { name: 'engine', isFor: (area) => area === PLANNER, add: (app) => openEngine(app) },
]

/** Preparations that the examples about plugins, badges and the mission planner need. */
export const PLUGIN_PREPARATIONS: Readonly<Record<string, Prepare>> = {
  reportAtoStatus: startAndSignIn,
  reportAtoAlert: startAndSignIn,
  readAtoPackage: makeFullPackage,
  listAtoPackages: makePackage,
  removeAtoPackage: makePackage,
  addAtoDistribution: makePackage,
  removeAtoDistribution: makeFullPackage,
  startAtoRequest: makePackage,
  readAtoRequest: async (scene) => {
    await startRequest(scene)
    await makeDistribution(scene)
  },
  listAtoRequests: startRequest,
  cancelAtoRequest: startRequest,
  openAtoRequest: startAndSignIn,
  readRecords: doWalkaround,
  findCandidates: startSearch,
  readPlannerSearch: searchPeople,
  listPlannerSearches: startSearch,
  savePlan: searchPeople,
  changePlan: savePlan,
  readPlan: savePlan,
  listPlans: savePlan,
  sharePlan: savePlan,
  unsharePlan: savePlan,
  removePlan: savePlan,
  listObjectiveBadges: ({ app, basic }) =>
    new Client(app.address, basic).post('/plugin/v2/ai/badge', {
      ...badge,
      name: 'Safety first',
      objectiveId: 'objective-safety',
    }),
  changeBadge: makeBadge,
  removeBadge: makeBadge,
  listBadges: makeBadge,
  listDeliveries: failDelivery,
  readDelivery: failDelivery,
  replayDeliveries: failDelivery,
}
