/**
 * The functions through which CATAPULT's LMS Test Suite uses an LMS (lib/lms.template.js in its lts folder). The suite
 * loads this file by CATAPULT_LMS in processes of its own, so everything is sent to lms.ts, which uses the platform.
 */
// biome-ignore lint/style/useNodejsImportProtocol: the suite's Jest does not know names that begin with node:
const { request } = require('http')
// The suite recognises a refused package by this class of its own. It runs in its lts folder.
const { InvalidPackageError } = require(`${process.cwd()}/lib/errors.js`)

const { GROUNDSCHOOL_LMS, GROUNDSCHOOL_LRS, GROUNDSCHOOL_LRS_AUTHORIZATION } = process.env

/** Sends an action with its fields in the query. The body is a stream, or nothing. */
async function send(action, fields, body) {
  const query = Object.entries(fields).filter(([, value]) => value !== undefined)
  const response = await new Promise((resolve, reject) => {
    const sent = request(`${GROUNDSCHOOL_LMS}/${action}?${new URLSearchParams(query)}`, { method: 'POST' }, resolve)
    sent.on('error', reject)
    if (body) body.on('error', reject).pipe(sent)
    else sent.end()
  })
  const pieces = []
  for await (const piece of response) pieces.push(piece)
  const { result, refused, failed } = JSON.parse(Buffer.concat(pieces).toString())
  if (refused !== undefined) throw new InvalidPackageError(refused)
  if (failed !== undefined) throw new Error(failed)
  return result
}

module.exports = {
  setup: async () => {},
  teardown: async () => {},
  cleanup: async () => {},
  getLrsEndpoint: () => GROUNDSCHOOL_LRS,
  getLrsAuthHeader: () => GROUNDSCHOOL_LRS_AUTHORIZATION,
  importCourse: (stream, type, name) => send('importCourse', { type, name }, stream),
  // The actor of the suite is left out: the platform names its students itself.
  getLaunchUrl: (courseId, unit, _actor, { registration, launchMode } = {}) =>
    send('getLaunchUrl', { courseId, unit, registration, mode: launchMode }),
  hasWaive: () => true,
  waiveAU: (registration, unit, reason) => send('waiveAU', { registration, unit, reason }),
  hasAbandon: () => true,
  abandonSession: (sessionId) => send('abandonSession', { sessionId }),
}
