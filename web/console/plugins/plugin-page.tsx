import { Alert, Badge, Button, Group, List, Stack, Text, ThemeIcon, VisuallyHidden } from '@mantine/core'
import { activatePlugin, listPlugins, type Plugin, readPlugin } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { appWords } from '../../parts/app-words.ts'
import { Card } from '../../parts/card.tsx'
import { Copied } from '../../parts/copied.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { CircleCheck, CircleDashed, TriangleAlert } from '../../parts/icons.tsx'
import { TextLink } from '../../parts/link.tsx'
import { notify } from '../../parts/notify.tsx'
import { Problem } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { words } from '../../parts/words.ts'
import { consoleWords } from '../words.ts'
import { PURPOSES } from './kinds.ts'
import { usePlugin } from './plugin-frame.tsx'

const { plugin: say, plugins: sayAll, app: sayApp } = consoleWords

export function PluginPage() {
  const plugin = usePlugin()
  return (
    <>
      <ActivationCard plugin={plugin} />
      <FactsCard plugin={plugin} />
    </>
  )
}

/**
 * Lists the conditions for activating a plugin and whether they are met, as far as the page can tell. The platform
 * makes the final decision.
 */
function needsOf({ kind, permissions, addresses, redirectUris }: Plugin): { text: string; isDone: boolean }[] {
  const granted = permissions.filter(({ grantedDate }) => grantedDate !== null)
  if (kind === 'ai') return [{ text: say.lackPermission, isDone: granted.length > 0 }]
  return [
    { text: say.lackAto, isDone: granted.some(({ permission }) => permission === 'ato') },
    { text: say.lackAddress, isDone: addresses.some(({ purpose }) => purpose === 'request') },
    { text: say.lackRedirect, isDone: redirectUris.length > 0 },
  ]
}

function ActivationCard({ plugin }: { readonly plugin: Plugin }) {
  const set = useWrite(activatePlugin, {
    changes: [readPlugin, listPlugins],
    onDone: ({ active, name }) => notify(active ? say.activated(name) : say.deactivated(name)),
  })
  const needs = needsOf(plugin)
  const isReady = needs.every(({ isDone }) => isDone)
  const { clientId, active } = plugin
  return (
    <Card
      title={active ? sayAll.active : sayAll.inactive}
      action={
        <Button
          variant={active ? 'default' : 'filled'}
          disabled={!active && !isReady}
          loading={set.isPending}
          onClick={() => set.mutate({ clientId, active: !active })}
        >
          {active ? say.deactivate : say.activate}
        </Button>
      }
    >
      <Stack gap="sm">
        {set.error && <Problem title={say.activateFailed} error={set.error} />}
        <Text size="sm" c="dimmed">
          {active ? say.activeText : say.inactiveText}
        </Text>
        {!active && !isReady && (
          <>
            <Text size="sm" fw={550}>
              {say.lacks}
            </Text>
            <List spacing="xs" size="sm" center>
              {needs.map(({ text, isDone }) => (
                <List.Item
                  key={text}
                  icon={
                    <ThemeIcon size={22} radius="xl" variant="light" color={isDone ? 'green' : 'gray'} aria-hidden>
                      {isDone ? <CircleCheck size={14} /> : <CircleDashed size={14} />}
                    </ThemeIcon>
                  }
                >
                  {text}
                  <VisuallyHidden>, {isDone ? say.done : say.toDo}</VisuallyHidden>
                </List.Item>
              ))}
            </List>
          </>
        )}
      </Stack>
    </Card>
  )
}

const FactsCard = ({ plugin }: { readonly plugin: Plugin }) => (
  <Card title={say.overview}>
    <Facts>
      <Fact name={appWords.clientId}>
        <Copied value={plugin.clientId} what={appWords.clientId} />
      </Fact>
      <Fact name={sayAll.kind}>{sayAll.kinds[plugin.kind]}</Fact>
      <Fact name={consoleWords.apps.organisation}>
        {plugin.organisation === null ? (
          words.time.none
        ) : (
          <TextLink to="/console/organisations/$organisation" params={{ organisation: plugin.organisation }}>
            {plugin.organisationName ?? plugin.organisation}
          </TextLink>
        )}
      </Fact>
      <Fact name={sayApp.owner}>{plugin.owner ?? words.time.none}</Fact>
      {PURPOSES[plugin.kind].map((purpose) => {
        const address = plugin.addresses.find((one) => one.purpose === purpose)
        return (
          <Fact key={purpose} name={say.purposeLabel(say.purposes[purpose])}>
            {address === undefined ? (
              say.noAddress
            ) : (
              <Stack gap={6}>
                <Copied value={address.uri} what={say.purposeLabel(say.purposes[purpose])} />
                {address.offDate !== null ? (
                  <Alert color="red" icon={<TriangleAlert size={18} aria-hidden />} title={say.off}>
                    {address.offReason} {say.offText}
                  </Alert>
                ) : (
                  address.failingSince !== null && (
                    <Group gap={6}>
                      <Badge color="yellow" leftSection={<TriangleAlert size={13} aria-hidden />}>
                        {say.failingSince} <Time at={address.failingSince} />
                      </Badge>
                    </Group>
                  )
                )}
              </Stack>
            )}
          </Fact>
        )
      })}
      <Fact name={say.registered}>
        <Time at={plugin.createdDate} />
      </Fact>
    </Facts>
  </Card>
)
