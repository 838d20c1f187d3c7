import { ActionIcon, Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import {
  addCredentialSecret,
  type Credential,
  changeCredential,
  dropOldCredentialSecret,
  listCredentials,
  revokeCredential,
} from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Copied } from '../../parts/copied.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Ellipsis, KeyRound, Plus } from '../../parts/icons.tsx'
import { MenuButton } from '../../parts/menu-button.tsx'
import { notify, offerUndo } from '../../parts/notify.tsx'
import { PagedList } from '../../parts/paged-list.tsx'
import { Row, Rows } from '../../parts/rows.tsx'
import { only } from '../../parts/search.ts'
import { SecretShown } from '../../parts/secret-shown.tsx'
import { useSort } from '../../parts/sorted.ts'
import { Empty, Problem } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { adminWords } from '../words.ts'
import { NewCredentialForm } from './new-key-form.tsx'

const { keys: say } = adminWords
const route = getRouteApi('/signed-in/admin/record-store/keys')
const COLOURS = { active: 'green', suspended: 'yellow', expired: 'gray', revoked: 'gray' } as const

interface NewSecret {
  readonly key: string
  readonly secret: string
}

export function CredentialsPage() {
  const { page = 1, sort: sortBy } = route.useSearch()
  const sort = useSort('-created')
  const navigate = route.useNavigate()
  const list = useQuery(route.useLoaderData().credentials)
  const [isAdding, setAdding] = useState(false)
  const [shown, setShown] = useState<NewSecret>()
  const add = (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setAdding(true)}>
      {say.add}
    </Button>
  )
  return (
    <>
      <Group justify="flex-end" mb="md">
        {add}
      </Group>
      <PagedList
        query={list}
        page={page}
        onPage={(next) => void navigate({ search: only({ page: next, sort: sortBy }) })}
        empty={
          <Empty icon={KeyRound} title={say.empty}>
            {say.emptyText}
          </Empty>
        }
      >
        {(docs) => (
          <Rows
            label={adminWords.store.keys}
            head={[
              { title: say.name, sort: 'name' },
              say.status,
              say.scopes,
              { title: say.used, sort: 'used' },
              { title: say.expires, sort: 'expires' },
              { title: say.made, sort: 'created' },
              say.actions,
            ]}
            sort={sort}
            minWidth={980}
          >
            {docs.map((one) => (
              <CredentialRow key={one.key} credential={one} onSecret={setShown} />
            ))}
          </Rows>
        )}
      </PagedList>
      <Dialog isOpen={isAdding} onClose={() => setAdding(false)} title={say.add}>
        <NewCredentialForm
          onClose={() => setAdding(false)}
          onDone={({ key, secret }) => {
            setAdding(false)
            setShown({ key, secret })
          }}
        />
      </Dialog>
      <SecretShown
        secret={shown?.secret}
        text={say.secretText(shown?.key ?? '')}
        label={say.secret}
        onKept={() => setShown(undefined)}
      />
    </>
  )
}

interface CredentialRowProps {
  readonly credential: Credential
  readonly onSecret: (made: NewSecret) => void
}

function CredentialRow({ credential, onSecret }: CredentialRowProps) {
  const { key, name, status, scopes, secrets, createdBy } = credential
  const [asked, setAsked] = useState<'drop' | 'revoke'>()
  const changes = [listCredentials]
  const change = useWrite(changeCredential, { changes })
  const renew = useWrite(addCredentialSecret, { changes, onDone: onSecret })
  const done = (message: string) => {
    setAsked(undefined)
    notify(message)
  }
  const drop = useWrite(dropOldCredentialSecret, { changes, onDone: () => done(say.dropped) })
  const revoke = useWrite(revokeCredential, { changes, onDone: () => done(say.revoked(name)) })
  const error = change.error ?? renew.error
  const suspend = (suspended: boolean) =>
    change.mutate(
      { key, suspended },
      {
        onSuccess: () =>
          offerUndo(suspended ? say.suspended(name) : say.resumed(name), () =>
            change.mutate({ key, suspended: !suspended }),
          ),
      },
    )
  const used =
    secrets
      .map(({ lastUsedDate }) => lastUsedDate ?? '')
      .sort()
      .at(-1) || null
  return (
    <Row
      cells={[
        <Stack key="name" gap={2}>
          <Text fw={600}>{name}</Text>
          <Copied value={key} what={say.key} />
          {error && <Problem title={say.changeFailed} error={error} />}
        </Stack>,
        <Stack key="status" gap={4} align="flex-start">
          <Badge color={COLOURS[status]}>{say.statuses[status]}</Badge>
          {secrets.length > 1 && (
            <Text size="xs" c="dimmed">
              {say.two}
            </Text>
          )}
        </Stack>,
        <Group key="scopes" gap={4} maw={240}>
          {scopes.map((scope) => (
            <Badge key={scope} color="gray" title={say.aboutScopes[scope]}>
              {scope}
            </Badge>
          ))}
        </Group>,
        <Time key="used" at={used} />,
        <Time key="expires" at={credential.expiresDate} />,
        <Stack key="made" gap={0}>
          <Time at={credential.createdDate} />
          <Text size="xs" c="dimmed">
            {createdBy ?? say.commandLine}
          </Text>
        </Stack>,
        status !== 'revoked' && (
          <div key="actions">
            <MenuButton
              position="bottom-end"
              button={
                <ActionIcon variant="subtle" color="gray" aria-label={say.moreOf(name)}>
                  <Ellipsis size={18} aria-hidden />
                </ActionIcon>
              }
            >
              {(Menu) => (
                <>
                  {status === 'suspended' ? (
                    <Menu.Item onClick={() => suspend(false)}>{say.resume}</Menu.Item>
                  ) : (
                    <Menu.Item onClick={() => suspend(true)}>{say.suspend}</Menu.Item>
                  )}
                  {secrets.length > 1 ? (
                    <Menu.Item onClick={() => setAsked('drop')}>{say.drop}</Menu.Item>
                  ) : (
                    <Menu.Item onClick={() => renew.mutate({ key })}>{say.renew}</Menu.Item>
                  )}
                  <Menu.Divider />
                  <Menu.Item color="red" onClick={() => setAsked('revoke')}>
                    {say.revoke}
                  </Menu.Item>
                </>
              )}
            </MenuButton>
            {asked === 'drop' && (
              <Confirm
                isOpen
                title={say.dropTitle}
                go={say.drop}
                isPending={drop.isPending}
                error={drop.error}
                onGo={() => drop.mutate({ key })}
                onClose={() => setAsked(undefined)}
              >
                {say.dropText}
              </Confirm>
            )}
            {asked === 'revoke' && (
              <Confirm
                isOpen
                title={say.revokeTitle(name)}
                go={say.revoke}
                isPending={revoke.isPending}
                error={revoke.error}
                word={name}
                onGo={() => revoke.mutate({ key })}
                onClose={() => setAsked(undefined)}
              >
                {say.revokeText}
              </Confirm>
            )}
          </div>
        ),
      ]}
    />
  )
}
