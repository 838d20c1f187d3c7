import { createHash } from 'node:crypto'
import type { Environment } from '../../kernel/environment.ts'
import { sendAnswer } from '../../kernel/http/output/answers.ts'
import { ownOrigins } from '../../kernel/http/output/stored-files.ts'
import type { ContentRoute, HttpRequest } from '../../kernel/http/request.ts'

/** Tells the dashboard around it that the content has finished, or leads there from a window of its own. */
const SCRIPT = `if (parent !== self) parent.postMessage({ groundschool: 'content-finished' }, '*')
else location.replace(document.querySelector('a').href)`
const HASH = createHash('sha256').update(SCRIPT).digest('base64')

/** Returns the page of the dashboard that the content was opened from. */
function backOf({ url }: Environment, request: HttpRequest): string {
  const query = new URL(request.url, url).searchParams
  const id = (name: string) => /^[\w.@-]{1,200}$/.exec(query.get(name) ?? '')?.[0]
  const [lesson, classId] = [id('lessonId'), id('classId')]
  return lesson && classId ? `${url}/dashboard/classes/${classId}/lessons/${lesson}` : `${url}/dashboard`
}

/** Serves the page to which content returns when it has finished (cmi5 10.2.6), on the content origin. */
export const returnRoute: ContentRoute = {
  name: 'package-return',
  path: /^\/return$/,
  handle: async (environment, request) => {
    const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Finished</title><meta name="viewport" content="width=device-width">
<body style="font:1rem/1.5 system-ui,sans-serif;margin:3rem auto;max-width:30rem;padding:0 1rem"><h1 style="font-size:1.25rem">Your work is saved</h1>
<p><a href="${backOf(environment, request)}">Back to the lesson</a></p><script>${SCRIPT}</script>`
    const headers = {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${HASH}'; frame-ancestors 'self' ${ownOrigins(environment).join(' ')}`,
    }
    return sendAnswer(environment, request, 200, headers, Buffer.from(page))
  },
}
