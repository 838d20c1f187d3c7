import { Group, Pagination, Text } from '@mantine/core'
import { words } from './words.ts'

const { pager: say } = words

interface PagerProps {
  readonly page: number
  readonly pages: number
  readonly total?: number
  readonly onChange: (page: number) => void
}

/** Links to the pages of a list. Renders nothing if there is only one page. The current page is part of the URL. */
export const Pager = ({ page, pages, total, onChange }: PagerProps) =>
  pages > 1 && (
    <Group justify="space-between" px="lg" py="sm">
      <Text size="sm" c="dimmed">
        {total !== undefined && say.total(total)}
      </Text>
      <Pagination
        value={page}
        total={pages}
        onChange={onChange}
        size="sm"
        getItemProps={(number) => ({ 'aria-label': say.page(number) })}
        getControlProps={(control) => ({ 'aria-label': control === 'next' ? say.next : say.previous })}
      />
    </Group>
  )
