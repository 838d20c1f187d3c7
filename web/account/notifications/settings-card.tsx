import { Button, Checkbox, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { type NotificationSettings, readNotificationSettings, setNotificationSettings } from '../../api/operations.ts'
import { queryClient, useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { TextLink } from '../../parts/link.tsx'
import { notify } from '../../parts/notify.tsx'
import { Problem } from '../../parts/states.tsx'
import { accountWords } from '../words.ts'
import classes from './settings-card.module.css'

const { notifications: say } = accountWords
type Kind = NotificationSettings['kinds'][number]

const MAILINGS = (['now', 'digest', 'off'] as const).map((value) => ({ value, label: say.mailings[value] }))

/**
 * Lets the person choose for each kind whether the bell shows it and how it is mailed. Each change is saved at once.
 */
export function SettingsCard({
  settings: { kinds, timeZone, emailAddress },
}: {
  readonly settings: NotificationSettings
}) {
  const save = useWrite(setNotificationSettings, {
    onDone: (saved) => {
      queryClient.setQueryData([readNotificationSettings.operationName, {}], saved)
      notify(say.saved)
    },
  })
  // The choice is shown while it is being saved.
  const sent = save.isPending ? save.variables : undefined
  const shown = kinds.map((one) => ({ ...one, ...sent?.kinds?.find(({ kind }) => kind === one.kind) }))
  const set = ({ kind, app, email }: Pick<Kind, 'kind' | 'app' | 'email'>) =>
    save.mutate({ kinds: [{ kind, app, email }] })
  const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone
  return (
    <Card title={say.settings} id="settings">
      <Stack>
        <Text size="sm">{say.settingsText}</Text>
        {save.error && <Problem title={say.failed} error={save.error} />}
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col">{say.kind}</th>
              <th scope="col" className={classes.bell}>
                {say.bell}
              </th>
              <th scope="col" className={classes.email}>
                {say.email}
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((one) => (
              <KindRow key={one.kind} one={one} onChange={(change) => set({ ...one, ...change })} />
            ))}
          </tbody>
        </table>
        <Text size="sm" c="dimmed">
          {emailAddress === null ? (
            <>
              {say.noAddress}{' '}
              <TextLink to="/account/security" underline="always">
                {say.addAddress}
              </TextLink>
            </>
          ) : (
            say.address(emailAddress)
          )}{' '}
          {say.digest(timeZone)}
        </Text>
        {ownZone && ownZone !== timeZone && (
          <Group>
            <Button variant="default" size="xs" onClick={() => save.mutate({ timeZone: ownZone })}>
              {say.chooseZone(ownZone)}
            </Button>
          </Group>
        )}
      </Stack>
    </Card>
  )
}

interface KindRowProps {
  readonly one: Kind
  readonly onChange: (change: Partial<Kind>) => void
}

const KindRow = ({ one: { about, app, email, isFixed }, onChange }: KindRowProps) => (
  <tr>
    <th scope="row">
      {about}
      {isFixed && (
        <Text size="xs" c="dimmed">
          {say.fixed}
        </Text>
      )}
    </th>
    {isFixed ? (
      <td colSpan={2}>{say.always}</td>
    ) : (
      <>
        <td>
          <Checkbox
            aria-label={say.bellOf(about)}
            checked={app}
            onChange={(event) => onChange({ app: event.currentTarget.checked })}
          />
        </td>
        <td>
          <NativeSelect
            size="xs"
            aria-label={say.emailOf(about)}
            data={MAILINGS}
            value={email}
            onChange={(event) => onChange({ email: event.currentTarget.value as Kind['email'] })}
          />
        </td>
      </>
    )}
  </tr>
)
