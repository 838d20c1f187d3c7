import { AVERY } from '../xapi/examples.ts'

const headers = { 'X-Experience-API-Version': '2.0.0' }
const activityId = 'https://sandhills.example.org/activities/walkaround'
const agent = JSON.stringify(AVERY)
const NO_PAGES =
  'Without an id, the answer is a JSON array of ids, oldest document first, up to 10,000; `since` leaves out documents that have not changed since then.'
const MERGED =
  'If the stored and the sent document are both JSON objects, each property that is sent replaces the one of the same name. If there is no document yet, it is stored as sent.'

/** Examples for one of the three document resources. */
const examplesOf = (
  name: string,
  what: { put: string; read: string; remove: string },
  place: Record<string, string>,
  by: { as?: 'ellis' } = {},
) => {
  const document = { bookmark: 'propeller', seen: 12 }
  const put = {
    request: { ...place, document },
    headers: { ...headers, 'If-None-Match': '*' },
    ...by,
  }
  return {
    PUT: { description: what.put, example: put },
    POST: {
      description: MERGED,
      example: {
        request: { ...place, document: { seen: 13 } },
        headers,
        after: `put${name}`,
        ...by,
      },
    },
    GET: { description: what.read, example: { request: place, headers, after: `put${name}`, ...by } },
    DELETE: { description: what.remove, example: { request: place, headers, after: `put${name}`, ...by } },
  }
}

const PROFILE = {
  put: 'Documents of any kind, under ids that you choose. Version 1.0.3 requires If-Match or If-None-Match; to replace a document, both versions do.',
  read: `The answer is the document as it was sent, with its ETag. ${NO_PAGES}`,
  remove: 'If there is no such document, nothing happens. With If-Match it is deleted only if it has not changed.',
}

export const examples = {
  State: examplesOf(
    'State',
    {
      put: 'For bookmarks, answers so far, or anything else that an activity wants to find again. In version 2.0, replacing a document requires If-Match. With an access token, `agent` must be the account of its user.',
      read: `The answer is the document as it was sent, with its ETag. ${NO_PAGES}`,
      remove:
        'Without `stateId`, all state of the agent in the activity is deleted, or only that of one registration. If there is none, nothing happens.',
    },
    { activityId, agent, registration: '3c1f2f9d-0b9d-4e52-8f0e-4a3c9a578e40', stateId: 'bookmark' },
  ),
  ActivityProfile: examplesOf('ActivityProfile', PROFILE, { activityId, profileId: 'briefing' }, { as: 'ellis' }),
  AgentProfile: examplesOf('AgentProfile', PROFILE, { agent, profileId: 'preferences' }, { as: 'ellis' }),
}
