import { Button } from '@mantine/core'
import { Link, useRouterState } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useHere } from '../../api/here.ts'
import { Card } from '../../parts/card.tsx'
import { Send } from '../../parts/icons.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Empty, Problem } from '../../parts/states.tsx'
import { appWords } from '../words.ts'
import { Exchange } from './exchange.tsx'
import { Lesson } from './lesson.tsx'

const { demo: say } = appWords

/**
 * The redirect URI of the demo app: the browser arrives here after a sign-in or the launch of a lesson. The page does
 * what an app would do. The client ID and secret of the demo app are public; a real app keeps its secret on its server.
 */
export function CallbackPage() {
  const here = useHere()
  const address = useRouterState({ select: ({ location }) => location.searchStr })
  const query = new URLSearchParams(address)
  const [code, lessonId, classId] = ['code', 'lessonId', 'classId'].map((name) => query.get(name) ?? undefined)
  // The demo app has one redirect URI for both environments. The prefix of the code shows which environment issued it.
  const issuer = code === undefined ? here.environment : code.startsWith('gs_sbx_') ? 'sandbox' : 'production'
  const other = issuer === here.environment ? undefined : here[issuer]
  useEffect(() => {
    if (other !== undefined) location.replace(`${other}${location.pathname}${location.search}`)
  }, [other])
  if (other !== undefined) return null

  const refusal = query.get('error')
  if (refusal !== null)
    return (
      <>
        <PageHead title={say.denied} lead={say.lead} />
        <Problem title={say.deniedTitle} error={new Error(query.get('error_description') ?? refusal)} />
      </>
    )
  if (code === undefined)
    return (
      <>
        <PageHead title={say.title} />
        <Card>
          <Empty
            icon={Send}
            title={say.nothing}
            action={
              <Button component={Link} to="/">
                {appWords.missing.home}
              </Button>
            }
          >
            {say.nothingText}
          </Empty>
        </Card>
      </>
    )
  const clientId = here.environment === 'sandbox' ? 'gs-sbx-demo-app' : 'gs-demo-app'
  const app = { clientId, clientSecret: 'gs-demo-secret' }
  if (lessonId !== undefined && classId !== undefined)
    return <Lesson app={app} code={code} lessonId={lessonId} classId={classId} />
  return <Exchange app={app} code={code} state={query.get('state') ?? undefined} />
}
