import type { Environment } from '../../environment.ts'
import { ICON, ICON_PATH, STYLE, STYLE_PATH } from '../../pages/layout.ts'
import { passkeyScript } from '../../pages/passkeys/script.ts'
import { limitAddress } from '../callers/callers.ts'
import { sendAnswer } from '../output/answers.ts'
import { etagOf, hasAlready } from '../output/etags.ts'
import { ICON_TYPE, SCRIPT_TYPE, STYLE_TYPE } from '../output/media-types.ts'
import type { PlainRoute } from '../request.ts'

/** All scripts that server-rendered pages may load. */
const SCRIPTS: readonly { readonly path: string; readonly text: string }[] = [passkeyScript]

/** Creates the routes for the style sheet, the icon and the scripts of pages that work without JavaScript. */
export function assetRoutes(environment: Environment): PlainRoute[] {
  const immutable = (path: string, type: string, text: string): PlainRoute => ({
    path,
    name: 'style',
    handle: (request) => {
      limitAddress(environment, request)
      const headers = { 'content-type': type, 'cache-control': 'public, max-age=31536000, immutable' }
      sendAnswer(environment, request, 200, headers, text)
    },
  })
  // Unlike the path of the style sheet, the paths of scripts do not change with the content, so browsers must
  // revalidate them.
  const scripts = SCRIPTS.map(({ path, text }): PlainRoute => {
    const etag = etagOf(text)
    const headers = { 'content-type': SCRIPT_TYPE, 'cache-control': 'public, no-cache', etag }
    return {
      path,
      name: 'script',
      handle: (request) => {
        limitAddress(environment, request)
        if (hasAlready(request, etag)) sendAnswer(environment, request, 304, headers)
        else sendAnswer(environment, request, 200, headers, text)
      },
    }
  })
  // Browsers request this path if a document declares no icon.
  const favicon: PlainRoute = {
    path: '/favicon.ico',
    name: 'style',
    handle: (request) => {
      limitAddress(environment, request)
      const headers = { 'content-type': ICON_TYPE, 'cache-control': 'public, max-age=86400' }
      sendAnswer(environment, request, 200, headers, ICON)
    },
  }
  return [immutable(STYLE_PATH, STYLE_TYPE, STYLE), immutable(ICON_PATH, ICON_TYPE, ICON), favicon, ...scripts]
}
