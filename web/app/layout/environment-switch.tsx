import { Text, UnstyledButton } from '@mantine/core'
import { useRouterState } from '@tanstack/react-router'
import type { Here } from '../../api/operations.ts'
import { Check, ChevronDown, FlaskConical, Globe } from '../../parts/icons.tsx'
import { MenuButton } from '../../parts/menu-button.tsx'
import { appWords } from '../words.ts'
import classes from './menu.module.css'

const ENVIRONMENTS = [
  { id: 'production', icon: Globe, about: appWords.environment.aboutProduction },
  { id: 'sandbox', icon: FlaskConical, about: appWords.environment.aboutSandbox },
] as const

/**
 * Shows the current environment and links to the same page in the other one. The environments share nothing, so people
 * sign in to each separately.
 */
export function EnvironmentSwitch({ here }: { readonly here: Here }) {
  const href = useRouterState({ select: ({ location }) => location.pathname })
  const name = appWords.environment[here.environment]
  const Icon = ENVIRONMENTS.find(({ id }) => id === here.environment)!.icon
  return (
    <MenuButton
      withinPortal={false}
      position="bottom-end"
      width={280}
      transitionProps={{ duration: 100 }}
      button={
        <UnstyledButton className={classes.button} aria-label={appWords.environment.label(name)}>
          <Icon size={16} aria-hidden />
          <span className={classes.label}>{name}</span>
          <ChevronDown size={14} aria-hidden />
        </UnstyledButton>
      }
    >
      {(Menu) => (
        <>
          {ENVIRONMENTS.map(({ id, icon: One, about }) => (
            <Menu.Item
              key={id}
              component="a"
              href={`${here[id]}${href}`}
              leftSection={<One size={18} aria-hidden />}
              rightSection={id === here.environment && <Check size={16} aria-hidden />}
              {...(id === here.environment && { 'aria-current': 'true' as const })}
            >
              {appWords.environment[id]}
              <Text size="xs" c="dimmed">
                {about}
              </Text>
            </Menu.Item>
          ))}
        </>
      )}
    </MenuButton>
  )
}
