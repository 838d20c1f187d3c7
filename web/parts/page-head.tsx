import { Box, Group, Text, Title } from '@mantine/core'
import { createContext, type ReactNode, useContext, useEffect } from 'react'
import classes from './page-head.module.css'
import { words } from './words.ts'

interface PageHeadProps {
  readonly title: string
  /** One sentence below the title. */
  readonly lead?: ReactNode
  /** The main action of the page. */
  readonly action?: ReactNode
  /** Links to the pages above this one, shown above the title. */
  readonly above?: ReactNode
}

/** The name of the thing that a page is a part of, such as a class, for the title of the browser window. */
export const PartOf = createContext('')

/** The head of every page. The title is also set as the title of the browser window. */
export function PageHead({ title, lead, action, above }: PageHeadProps) {
  const whole = useContext(PartOf)
  useEffect(() => {
    document.title = [...new Set([title, whole, words.product])].filter(Boolean).join(' · ')
  }, [title, whole])
  return (
    <Group justify="space-between" align="flex-end" gap="md" className={classes.head}>
      <Box className={classes.text}>
        {above}
        <Title order={1}>{title}</Title>
        {lead && (
          <Text c="dimmed" mt={4} component="div">
            {lead}
          </Text>
        )}
      </Box>
      {action}
    </Group>
  )
}
