import { Checkbox, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { SCOPE_WORDS } from '../../parts/consent.ts'
import { consoleWords } from '../words.ts'

const { app: say } = consoleWords

interface ScopesFieldProps {
  readonly value?: string[]
  readonly defaultValue?: string[]
  readonly error?: ReactNode
  onChange?(value: string[]): void
}

/** The scopes that an app may ask for, each with the words of the consent page. */
export function ScopesField(props: ScopesFieldProps) {
  return (
    <Checkbox.Group label={say.scopes} description={say.scopesHelp} {...props}>
      <Stack gap="xs" mt="xs">
        {Object.entries(SCOPE_WORDS).map(([scope, words]) => (
          <Checkbox key={scope} value={scope} label={scope} description={words} />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}
