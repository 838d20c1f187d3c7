import { CATEGORY, EXTENSION, VERB } from '../registrations/names.ts'

/**
 * A page that runs in a browser and follows cmi5 by itself: it fetches its credential, reads its launch data and sends
 * `initialized` when it is opened. Its buttons send what a test wants. Its `output` says what has happened last.
 */
export const CONTENT_PAGE = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Fuel</title><meta name="viewport" content="width=device-width">
<h1>Fuel planning</h1>
<p><output>opening</output></p>
<button data-does="pass">Pass</button>
<button data-does="fail">Fail</button>
<button data-does="complete">Complete</button>
<button data-does="escape">Escape</button>
<button data-does="exit">Exit</button>
<script>
const VERB = ${JSON.stringify(VERB)}
const query = new URLSearchParams(location.search)
const [endpoint, fetchUrl, registration, activityId] = ['endpoint', 'fetch', 'registration', 'activityId'].map((name) => query.get(name))
const actor = JSON.parse(query.get('actor'))
const output = document.querySelector('output')
let token = ''
let data = {}

async function call(method, path, body) {
  const headers = { authorization: 'Basic ' + token, 'x-experience-api-version': '1.0.3', 'content-type': 'application/json' }
  const answer = await fetch(endpoint + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  if (!answer.ok && answer.status !== 404) throw new Error(answer.status + ' ' + (await answer.text()))
  return answer.status === 404 ? undefined : answer.json()
}
const agent = encodeURIComponent(JSON.stringify(actor))
async function open() {
  token = (await (await fetch(fetchUrl, { method: 'POST' })).json())['auth-token']
  data = await call('GET', 'activities/state?stateId=LMS.LaunchData&agent=' + agent + '&registration=' + registration + '&activityId=' + encodeURIComponent(activityId))
  await call('GET', 'agents/profile?profileId=cmi5LearnerPreferences&agent=' + agent)
  await say('initialized')
}
async function say(verb, result) {
  const isJudged = ['passed', 'failed', 'completed'].includes(verb)
  const { contextActivities, extensions } = data.contextTemplate
  const mastery = result?.score && data.masteryScore !== undefined ? { '${EXTENSION.masteryScore}': data.masteryScore } : {}
  await call('POST', 'statements', {
    id: crypto.randomUUID?.() ?? '10000000-1000-4000-8000-100000000000'.replace(/[018]/g, (c) => (c ^ (crypto.getRandomValues(new Uint8Array(1))[0] & (15 >> (c / 4)))).toString(16)),
    actor, verb: { id: VERB[verb] }, object: { id: activityId }, timestamp: new Date().toISOString(),
    ...(result && { result }),
    context: { registration, extensions: { ...extensions, ...mastery }, contextActivities: { ...contextActivities,
      category: [{ id: '${CATEGORY.cmi5}' }, ...(isJudged ? [{ id: '${CATEGORY.moveOn}' }] : [])] } },
  })
  output.textContent = verb
}
/** Tries what content must not be able to do, and shows what happened. */
function escape() {
  const seen = [
    ['storage', () => parent.localStorage.length],
    ['document', () => parent.document.title],
    ['cookies', () => { if (document.cookie === '') throw new Error('none') }],
    ['top', () => { top.location.href = 'about:blank' }],
  ].map(([name, attempt]) => { try { attempt(); return name + ' open' } catch { return name + ' closed' } })
  output.textContent = seen.join(', ')
}
const duration = 'PT1S'
const DOES = {
  pass: async () => { await say('passed', { success: true, duration, score: { scaled: 0.9 } }); await say('completed', { completion: true, duration }) },
  fail: () => say('failed', { success: false, duration, score: { scaled: 0.4 } }),
  complete: () => say('completed', { completion: true, duration }),
  escape,
  exit: async () => { await say('terminated', { duration }); location.href = data.returnURL },
}
const show = (error) => { output.textContent = error.message }
for (const button of document.querySelectorAll('button'))
  button.onclick = () => Promise.resolve(DOES[button.dataset.does]()).catch(show)
open().catch(show)
</script></html>`
