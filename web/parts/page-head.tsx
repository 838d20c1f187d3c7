import { Box, Group, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import classes from './page-head.module.css'
import { words } from './words.ts'

interface PageHeadProps {
  readonly title: string
  /** One sentence. */
  readonly lead?: ReactNode
  /** The one primary action. */
  readonly action?: ReactNode
  /** Shown above the title: links to the pages that this one belongs to. */
  readonly above?: ReactNode
}

/** The head of every page. Its title is also the title of the browser window. */
export function PageHead({ title, lead, action, above }: PageHeadProps) {
  useEffect(() => {
    document.title = `${title} · ${words.product}`
  }, [title])
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
