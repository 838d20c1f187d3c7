import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { sendAnswer } from '../../kernel/http/output/answers.ts'
import { HTML_TYPE } from '../../kernel/http/output/media-types.ts'
import { ownOrigins } from '../../kernel/http/output/stored-files.ts'
import { findPlayer } from '../../kernel/http/pages/web-app.ts'
import type { ContentRoute } from '../../kernel/http/request.ts'
import { keyIn } from '../../learning/content/links.ts'
import { isPackageToken } from '../../learning/packages/packages.ts'

function readPlayer() {
  const player = findPlayer()
  if (!player) throw fail('notReady', 'The pages were not built: install the development dependencies and start again')
  return player
}

/**
 * Serves the player of SCORM packages (web/player) on the host name of its package, because the API must be in a frame
 * of the same origin as the content.
 */
export const playerRoute: ContentRoute = {
  name: 'package-player',
  path: /^\/player\/(?<token>[\w.-]{1,100})\/$/,
  packageOf: ({ token = '' }) => keyIn(token),
  handle: async (environment, request, { token = '' }) => {
    if (!isPackageToken(environment, token))
      throw fail('notFound', 'The link has expired; go back and open the lesson again')
    const { script, style, runtimes } = readPlayer()
    const runtime = runtimes[new URL(request.url, environment.url).searchParams.get('standard') ?? '']
    const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Lesson</title><meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="${style}">${runtime ? `<link rel="modulepreload" href="${runtime}">` : ''}<script type="module" src="${script}"></script><body></body></html>`
    const headers = {
      'content-type': HTML_TYPE,
      'cache-control': 'no-store',
      'content-security-policy': policyOf(environment),
      'origin-agent-cluster': '?1',
    }
    return sendAnswer(environment, request, 200, headers, page)
  },
}

/** Serves the scripts and the style of the player. Everybody may read them. */
export const playerAssetRoute: ContentRoute = {
  name: 'package-player-asset',
  path: /^\/player\/(?<token>[\w.-]{1,100})\/(?<name>[\w.-]{1,100})$/,
  packageOf: ({ token = '' }) => keyIn(token),
  handle: async (environment, request, { name = '' }) => {
    const send = readPlayer().files.get(name)
    if (!send) throw fail('notFound', 'There is no file at this address')
    return send(environment, request)
  },
}

/** Returns the policy of the player: it runs its own scripts, calls the platform, and frames files of its package. */
const policyOf = (environment: Environment): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src 'self' ${environment.url}`,
    // Units of a few packages are on other servers.
    "frame-src 'self' https:",
    "form-action 'none'",
    "base-uri 'none'",
    `frame-ancestors 'self' ${ownOrigins(environment).join(' ')}`,
  ].join('; ')
