import { Alert, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import {
  endSessionsOfPerson,
  findPeople,
  type KnownPerson,
  listAudit,
  readPerson,
  resendPersonInvitation,
  sendPasswordReset,
  setAdministrator,
} from '../../api/operations.ts'
import { query, useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { Ban } from '../../parts/icons.tsx'
import { TextLink } from '../../parts/link.tsx'
import { notify } from '../../parts/notify.tsx'
import { onDemand } from '../../parts/on-demand.ts'
import { PageHead } from '../../parts/page-head.tsx'
import type { PersonAction } from '../../parts/person-dialogs.tsx'
import { PersonStatus } from '../../parts/person-status.tsx'
import { personWords } from '../../parts/person-words.ts'
import { ReasonDialog } from '../../parts/reason-dialog.tsx'
import { Row, Rows } from '../../parts/rows.tsx'
import { Loaded, Problem } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { adminWords } from '../words.ts'
import { sayRoles } from './person-badges.tsx'

const { person: say, people } = adminWords
const route = getRouteApi('/signed-in/admin/people/$handle')
const CHANGED = [readPerson, findPeople, listAudit]
/** Loaded only when somebody acts on an account, because the page can be read without them. */
const PersonDialog = onDemand(async () => (await import('../../parts/person-dialogs.tsx')).PersonDialog)

export function PersonPage() {
  const found = useQuery(route.useLoaderData().person)
  return (
    <Loaded query={found}>
      {(person) => (
        <>
          <PageHead
            title={person.name || person.handle}
            lead={person.handle}
            above={
              <TextLink to="/admin/people" size="sm">
                {people.title}
              </TextLink>
            }
            action={<PersonStatus status={person.status} />}
          />
          <Stack gap="lg">
            {person.disabledDate !== null && (
              <Alert color="red" icon={<Ban size={18} aria-hidden />} title={say.disabledTitle}>
                {say.disabledSince} <Time at={person.disabledDate} />
                {person.reason !== null && `: ${person.reason}`}
              </Alert>
            )}
            <Account person={person} />
            <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
              <Organisations person={person} />
              <Apps person={person} />
            </SimpleGrid>
            <Actions person={person} />
          </Stack>
        </>
      )}
    </Loaded>
  )
}

interface PersonProps {
  readonly person: KnownPerson
}

const Account = ({ person }: PersonProps) => {
  const ways = [person.hasPassword && say.password, person.passkeys > 0 && say.passkeys(person.passkeys)].filter(
    Boolean,
  )
  return (
    <Card
      title={say.account}
      action={
        <TextLink to="/admin/audit" search={{ handle: person.handle }} size="sm">
          {say.audit}
        </TextLink>
      }
    >
      <Facts>
        <Fact name={say.email}>{person.email ?? people.noEmail}</Fact>
        <Fact name={say.roles}>{sayRoles(person) || say.noRoles}</Fact>
        {person.managedBy !== null && <Fact name={say.managedBy}>{person.managedBy}</Fact>}
        {person.invitationExpiresDate !== null && (
          <Fact name={say.invitation}>
            <Time at={person.invitationExpiresDate} />
          </Fact>
        )}
        <Fact name={say.since}>
          <Time at={person.createdDate} />
        </Fact>
        <Fact name={say.seen}>
          <Time at={person.lastSeenDate} />
        </Fact>
        <Fact name={say.signsIn}>{ways.join(', ') || say.nothing}</Fact>
        <Fact name={say.open}>
          {say.browsers(person.browsers)}, {say.sessions(person.sessions)}
        </Fact>
      </Facts>
    </Card>
  )
}

const Organisations = ({ person: { organisations } }: PersonProps) => (
  <Card title={say.organisations} isFlush={organisations.length > 0}>
    {organisations.length === 0 ? (
      <Text c="dimmed">{say.noOrganisations}</Text>
    ) : (
      <Rows label={say.organisations} head={[say.organisations, say.role]} minWidth={260}>
        {organisations.map(({ key, name, role }) => (
          <Row key={key} cells={[name, role]} />
        ))}
      </Rows>
    )}
  </Card>
)

const Apps = ({ person: { apps } }: PersonProps) => (
  <Card title={say.apps} isFlush={apps.length > 0}>
    {apps.length === 0 ? (
      <Text c="dimmed">{say.noApps}</Text>
    ) : (
      <Rows label={say.apps} head={[say.apps, say.appSince, say.seen]} minWidth={300}>
        {apps.map(({ clientId, name, sinceDate, lastSeenDate }) => (
          <Row
            key={clientId}
            cells={[name, <Time key="since" at={sinceDate} />, <Time key="seen" at={lastSeenDate} />]}
          />
        ))}
      </Rows>
    )}
  </Card>
)

function Actions({ person }: PersonProps) {
  const { handle, status } = person
  const name = person.name || handle
  const [asked, setAsked] = useState<'end' | 'administrator' | PersonAction>()
  const navigate = useNavigate()
  const tell = (message: string) => {
    setAsked(undefined)
    notify(message)
  }
  const reset = useWrite(sendPasswordReset, { changes: [listAudit], onDone: () => tell(say.resetDone(name)) })
  const end = useWrite(endSessionsOfPerson, { changes: CHANGED, onDone: () => tell(say.ended(name)) })
  const invite = useWrite(resendPersonInvitation, { changes: CHANGED, onDone: () => tell(personWords.resent(name)) })
  const isAdministrator = person.administrator
  const promote = useWrite(setAdministrator, {
    changes: CHANGED,
    onDone: (changed) => tell((changed.administrator ? say.made : say.unmade)(name)),
  })
  const close = () => {
    setAsked(undefined)
    for (const one of [end, promote]) one.reset()
  }
  const queries = useQueryClient()
  const leave = (next: string | undefined) => {
    if (next === handle) return queries.invalidateQueries({ queryKey: query(readPerson, { handle }).queryKey })
    return navigate(
      next === undefined
        ? { to: '/admin/people', ignoreBlocker: true }
        : { to: '/admin/people/$handle', params: { handle: next }, ignoreBlocker: true },
    )
  }
  const isWaiting = !person.hasPassword && person.passkeys === 0 && status !== 'disabled'
  return (
    <Card title={say.actions}>
      <Stack gap="sm">
        {reset.error && <Problem title={say.resetFailed} error={reset.error} />}
        {invite.error && <Problem title={personWords.inviteFailed} error={invite.error} />}
        <Group>
          <Button variant="default" onClick={() => setAsked('edit')}>
            {personWords.edit}
          </Button>
          {isWaiting && (
            <>
              <Button
                variant="default"
                disabled={person.email === null}
                loading={invite.isPending}
                onClick={() => invite.mutate({ handle })}
              >
                {personWords.resend}
              </Button>
              <Button variant="default" onClick={() => setAsked('withdraw')}>
                {personWords.withdraw}
              </Button>
            </>
          )}
          <Button variant="default" onClick={() => setAsked('administrator')}>
            {isAdministrator ? say.unmakeAdministrator : say.makeAdministrator}
          </Button>
          <Button
            variant="default"
            title={say.resetText}
            disabled={person.email === null}
            loading={reset.isPending}
            onClick={() => reset.mutate({ handle })}
          >
            {say.reset}
          </Button>
          <Button variant="default" onClick={() => setAsked('end')}>
            {say.end}
          </Button>
          {status !== 'disabled' ? (
            <Button color="red" variant="light" onClick={() => setAsked('disable')}>
              {say.disable}
            </Button>
          ) : (
            <Button onClick={() => setAsked('enable')}>{say.enable}</Button>
          )}
          <Button color="red" onClick={() => setAsked('delete')}>
            {personWords.remove}
          </Button>
        </Group>
      </Stack>
      {asked === 'end' && (
        <ReasonDialog
          title={say.endTitle(name)}
          go={say.end}
          help={say.reasonHelp}
          isDangerous
          isPending={end.isPending}
          error={end.error}
          onGo={(reason) => end.mutate({ handle, reason })}
          onClose={close}
        >
          {say.endText(person.browsers, person.sessions)}
        </ReasonDialog>
      )}
      {asked === 'administrator' && (
        <ReasonDialog
          title={(isAdministrator ? say.unmakeTitle : say.makeTitle)(name)}
          go={isAdministrator ? say.unmakeAdministrator : say.makeAdministrator}
          help={say.reasonHelp}
          isDangerous
          isPending={promote.isPending}
          error={promote.error}
          onGo={(reason) => promote.mutate({ handle, administrator: !isAdministrator, reason })}
          onClose={close}
        >
          {isAdministrator ? say.unmakeText : say.makeText}
        </ReasonDialog>
      )}
      {asked !== undefined && asked !== 'end' && asked !== 'administrator' && (
        <PersonDialog
          person={person}
          action={asked}
          // A person who is gone, or has another handle, is not read again under the old one.
          changes={asked === 'disable' || asked === 'enable' ? CHANGED : [findPeople, listAudit]}
          onDone={(next) => void leave(next)}
          onClose={close}
        />
      )}
    </Card>
  )
}
