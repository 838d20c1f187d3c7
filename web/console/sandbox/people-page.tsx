import { Anchor, Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { useHere } from '../../api/here.ts'
import { listTestPeople, makeTestPeople, resetTestPeople, signInAsTestPerson } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { FlaskConical, RotateCcw } from '../../parts/icons.tsx'
import { notify } from '../../parts/notify.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Row, Rows } from '../../parts/rows.tsx'
import { Empty, Loaded, Problem } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { words } from '../../parts/words.ts'
import { consoleWords } from '../words.ts'

const route = getRouteApi('/signed-in/console/sandbox')
const { sandbox: say } = consoleWords
const { form: sayForm } = words

export function SandboxPage() {
  const { environment, sandbox } = useHere()
  if (environment === 'sandbox') return <TestPeople />
  return (
    <>
      <PageHead title={say.title} lead={say.lead} />
      <Card>
        <Empty
          icon={FlaskConical}
          title={say.elsewhere}
          action={<Anchor href={`${sandbox}/console/sandbox`}>{say.go}</Anchor>}
        >
          {say.elsewhereText}
        </Empty>
      </Card>
    </>
  )
}

function TestPeople() {
  const list = useQuery(route.useLoaderData().people)
  const [isAsking, setAsking] = useState(false)
  const changes = [listTestPeople]
  const make = useWrite(makeTestPeople, { changes })
  const reset = useWrite(resetTestPeople, {
    changes,
    onDone: () => {
      setAsking(false)
      notify(say.resetDone)
    },
  })
  // Load a new document, so that no cached data of the previous person remains.
  const enter = useWrite(signInAsTestPerson, { onDone: () => location.assign('/') })
  const error = make.error ?? enter.error
  const makeButton = (
    <Button loading={make.isPending} onClick={() => make.mutate({})}>
      {say.make}
    </Button>
  )
  return (
    <>
      <PageHead
        title={say.title}
        lead={say.lead}
        action={
          (list.data?.docs.length ?? 0) > 0 && (
            <Group>
              <Button
                variant="default"
                leftSection={<RotateCcw size={16} aria-hidden />}
                onClick={() => setAsking(true)}
              >
                {say.reset}
              </Button>
              {makeButton}
            </Group>
          )
        }
      />
      {error && <Problem title={say.failed} error={error} />}
      <Loaded query={list}>
        {({ docs }) => (
          <Card isFlush>
            {docs.length === 0 ? (
              <Empty icon={FlaskConical} title={say.empty} action={makeButton}>
                {say.emptyText}
              </Empty>
            ) : (
              <>
                <Text size="sm" c="dimmed" px={20} py="sm">
                  {say.signInText}
                </Text>
                <Rows label={say.title} head={[sayForm.name, say.apps, say.made]} hasActions minWidth={520}>
                  {docs.map(({ handle, name, createdDate, apps }) => (
                    <Row
                      key={handle}
                      cells={[
                        <>
                          <Text size="sm" fw={550}>
                            {name}
                          </Text>
                          <Text size="xs" c="dimmed">
                            {handle}
                          </Text>
                        </>,
                        apps,
                        <Time key="made" at={createdDate} />,
                        <Button
                          key="enter"
                          variant="default"
                          size="xs"
                          aria-label={say.signInAs(name)}
                          loading={enter.isPending && enter.variables?.handle === handle}
                          onClick={() => enter.mutate({ handle })}
                        >
                          {say.signIn}
                        </Button>,
                      ]}
                    />
                  ))}
                </Rows>
              </>
            )}
          </Card>
        )}
      </Loaded>
      <Confirm
        isOpen={isAsking}
        title={say.resetTitle}
        go={say.reset}
        isPending={reset.isPending}
        error={reset.error}
        onGo={() => reset.mutate({})}
        onClose={() => setAsking(false)}
      >
        {say.resetText(list.data?.docs.length ?? 0)}
      </Confirm>
    </>
  )
}
