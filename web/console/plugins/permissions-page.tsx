import { Badge, Button, Checkbox, Group, List, Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  changePlugin,
  giveOrganisationToPlugin,
  listOrganisations,
  listPlugins,
  type Plugin,
  readPlugin,
} from '../../api/operations.ts'
import { query, useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { CircleCheck, Clock } from '../../parts/icons.tsx'
import { notify } from '../../parts/notify.tsx'
import { useOrganisations } from '../../parts/organisation-names.ts'
import { Row, Rows } from '../../parts/rows.tsx'
import { Problem } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { words } from '../../parts/words.ts'
import { consoleWords } from '../words.ts'
import { PERMISSIONS } from './kinds.ts'
import { usePlugin } from './plugin-frame.tsx'

const { plugin: say } = consoleWords
const { form: sayForm } = words
const CHANGED = [readPlugin, listPlugins]

export function PluginPermissionsPage() {
  const plugin = usePlugin()
  return (
    <>
      <PermissionsCard plugin={plugin} />
      {plugin.kind === 'ai' && <OrganisationsCard plugin={plugin} />}
    </>
  )
}

function PermissionsCard({ plugin }: { readonly plugin: Plugin }) {
  const [isChanging, setChanging] = useState(false)
  return (
    <Card
      title={say.permissions}
      isFlush
      action={
        <Button variant="default" size="xs" onClick={() => setChanging(true)}>
          {say.change}
        </Button>
      }
    >
      <Rows label={say.permissions} head={[say.permission, say.asked, say.granted]} minWidth={520}>
        {plugin.permissions.map(({ permission, askedDate, grantedDate }) => (
          <Row
            key={permission}
            cells={[
              <>
                <Text size="sm" fw={550}>
                  {say.permissionNames[permission]}
                </Text>
                <Text size="xs" c="dimmed">
                  {say.permissionHelp[permission]}
                </Text>
              </>,
              <Time key="asked" at={askedDate} />,
              grantedDate === null ? (
                <Badge key="granted" color="yellow" leftSection={<Clock size={13} aria-hidden />}>
                  {say.waiting}
                </Badge>
              ) : (
                <Badge key="granted" color="green" leftSection={<CircleCheck size={13} aria-hidden />}>
                  <Time at={grantedDate} />
                </Badge>
              ),
            ]}
          />
        ))}
      </Rows>
      <Dialog isOpen={isChanging} onClose={() => setChanging(false)} title={say.change}>
        <AskForm plugin={plugin} onClose={() => setChanging(false)} />
      </Dialog>
    </Card>
  )
}

function AskForm({ plugin, onClose }: { readonly plugin: Plugin; readonly onClose: () => void }) {
  const [asked, setAsked] = useState(plugin.permissions.map(({ permission }): string => permission))
  const save = useWrite(changePlugin, {
    changes: CHANGED,
    onDone: () => {
      notify(say.changed)
      onClose()
    },
  })
  return (
    <Stack>
      {save.error && <Problem title={say.changeFailed} error={save.error} />}
      <Checkbox.Group label={say.asked} description={say.changeHelp} value={asked} onChange={setAsked}>
        <Stack gap="xs" mt="xs">
          {PERMISSIONS[plugin.kind].map((permission) => (
            <Checkbox
              key={permission}
              value={permission}
              label={say.permissionNames[permission]}
              description={say.permissionHelp[permission]}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {sayForm.cancel}
        </Button>
        <Button loading={save.isPending} onClick={() => save.mutate({ clientId: plugin.clientId, permissions: asked })}>
          {sayForm.save}
        </Button>
      </Group>
    </Stack>
  )
}

function OrganisationsCard({ plugin }: { readonly plugin: Plugin }) {
  const { clientId, organisations } = plugin
  const own = useQuery(query(listOrganisations, { role: 'owner', limit: 100 }))
  const [chosen, setChosen] = useState<string | null>(null)
  const give = useWrite(giveOrganisationToPlugin, { changes: CHANGED })
  const mine = own.data?.docs ?? []
  const given = useOrganisations(organisations)
  const nameOf = (key: string) => [...mine, ...given].find(({ organisation }) => organisation === key)?.name ?? key
  const set = (organisation: string, given: boolean) =>
    give.mutate(
      { clientId, organisation, given },
      {
        onSuccess: () => {
          setChosen(null)
          const name = nameOf(organisation)
          notify(given ? say.given(name) : say.taken(name))
        },
      },
    )
  const others = mine.filter(({ organisation }) => !organisations.includes(organisation))
  return (
    <Card title={say.organisations}>
      <Stack gap="sm">
        {give.error && <Problem title={say.giveFailed} error={give.error} />}
        <Text size="sm" c="dimmed">
          {say.organisationsText}
        </Text>
        {organisations.length === 0 ? (
          <Text size="sm">{say.noOrganisations}</Text>
        ) : (
          <List listStyleType="none" spacing="xs">
            {organisations.map((key) => (
              <List.Item key={key}>
                <Group gap="sm">
                  <Text size="sm">{nameOf(key)}</Text>
                  {given.some(({ organisation, may }) => organisation === key && may.manage) && (
                    <Button
                      size="compact-xs"
                      variant="subtle"
                      color="red"
                      aria-label={say.takeOf(nameOf(key))}
                      onClick={() => set(key, false)}
                    >
                      {say.take}
                    </Button>
                  )}
                </Group>
              </List.Item>
            ))}
          </List>
        )}
        {others.length > 0 && (
          <Group align="flex-end">
            <Select
              label={say.give}
              data={others.map(({ organisation, name }) => ({ value: organisation, label: name }))}
              value={chosen}
              onChange={setChosen}
            />
            <Button
              variant="default"
              disabled={chosen === null}
              loading={give.isPending}
              onClick={() => chosen !== null && set(chosen, true)}
            >
              {say.giveGo}
            </Button>
          </Group>
        )}
      </Stack>
    </Card>
  )
}
