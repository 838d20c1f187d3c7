import { Badge, Group, Text } from '@mantine/core'
import { Card } from '../../parts/card.tsx'
import { appWords } from '../words.ts'
import type { SentRequest } from './sent.ts'

export const SentList = ({ sent }: { readonly sent: readonly SentRequest[] }) =>
  sent.length === 0 ? null : (
    <Card title={appWords.demo.sent}>
      {sent.map(({ name, outcome }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list only grows
        <Group key={i} gap="xs" py={4}>
          <Badge color={outcome === '200' ? 'green' : 'red'}>{outcome}</Badge>
          <Text component="code" size="sm" ff="monospace">
            {name}
          </Text>
        </Group>
      ))}
    </Card>
  )
