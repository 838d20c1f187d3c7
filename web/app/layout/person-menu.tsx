import { Text, UnstyledButton, useMantineColorScheme } from '@mantine/core'
import { Link, useRouterState } from '@tanstack/react-router'
import { type Here, signOut } from '../../api/operations.ts'
import { Check, LogOut, Monitor, Moon, Sun, UserRound } from '../../parts/icons.tsx'
import { MenuButton } from '../../parts/menu-button.tsx'
import { OwnAvatar } from '../../parts/own-avatar.tsx'
import { appWords } from '../words.ts'
import classes from './menu.module.css'

const LOOKS = [
  { id: 'light', icon: Sun, label: appWords.person.light },
  { id: 'dark', icon: Moon, label: appWords.person.dark },
  { id: 'auto', icon: Monitor, label: appWords.person.system },
] as const

/** Shows the menu of the person who is signed in, or a link to sign in. */
export function PersonMenu({ here: { person } }: { readonly here: Here }) {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const href = useRouterState({ select: ({ location }) => location.href })
  if (!person)
    return (
      <a
        className={`${classes.button} ${classes.signIn}`}
        href={`/account/signin?${new URLSearchParams({ next: href })}`}
      >
        {appWords.person.signIn}
      </a>
    )
  const name = person.name || person.handle
  const leave = async () => {
    const endHeld = async () => (await import('../../reference/credentials.ts')).endHeld()
    // `endHeld` ends the session of the API reference. Failures are ignored, because the person may already be signed
    // out.
    const [signedOut] = await Promise.allSettled([signOut({}), endHeld()])
    sessionStorage.clear()
    location.assign((signedOut.status === 'fulfilled' && signedOut.value.next) || '/')
  }
  return (
    <MenuButton
      withinPortal={false}
      position="bottom-end"
      width={260}
      transitionProps={{ duration: 100 }}
      button={
        <UnstyledButton className={classes.button} aria-label={appWords.person.menu(name)}>
          <OwnAvatar size={28} />
          <span className={classes.label}>{name}</span>
        </UnstyledButton>
      }
    >
      {(Menu) => (
        <>
          <Menu.Label>
            <Text size="sm" fw={600} c="var(--mantine-color-text)">
              {name}
            </Text>
            <Text size="xs">{person.handle}</Text>
          </Menu.Label>
          <Menu.Item component={Link} to="/account" leftSection={<UserRound size={18} aria-hidden />}>
            {appWords.person.account}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Label>{appWords.person.look}</Menu.Label>
          {LOOKS.map(({ id, icon: Icon, label }) => (
            <Menu.Item
              key={id}
              onClick={() => setColorScheme(id)}
              leftSection={<Icon size={18} aria-hidden />}
              rightSection={id === colorScheme && <Check size={16} aria-hidden />}
              {...(id === colorScheme && { 'aria-current': 'true' as const })}
            >
              {label}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item onClick={leave} leftSection={<LogOut size={18} aria-hidden />}>
            {appWords.person.signOut}
          </Menu.Item>
        </>
      )}
    </MenuButton>
  )
}
