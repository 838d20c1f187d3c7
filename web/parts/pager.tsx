import { Button, Group, Text } from '@mantine/core'
import { dashboard } from '../words/dashboard.ts'

const { class: say } = dashboard

interface PagerProps {
  readonly page: number
  readonly pages: number
  readonly onPage: (page: number) => void
}

/** Below a list that has more than one page. */
export const Pager = ({ page, pages, onPage }: PagerProps) =>
  pages > 1 && (
    <Group justify="flex-end" gap="sm" p={16}>
      <Text size="sm" c="dimmed">
        {say.pageOf(page, pages)}
      </Text>
      <Button size="xs" variant="default" disabled={page <= 1} onClick={() => onPage(page - 1)}>
        {say.previous}
      </Button>
      <Button size="xs" variant="default" disabled={page >= pages} onClick={() => onPage(page + 1)}>
        {say.next}
      </Button>
    </Group>
  )
