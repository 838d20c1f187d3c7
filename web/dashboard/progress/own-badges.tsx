import { Group, Text, ThemeIcon } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { listOwnBadges } from '../../api/operations.ts'
import { query } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Award } from '../../parts/icons.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { dashboardWords } from '../words.ts'

const { mine: say } = dashboardWords

/** Lists the badges of this organisation that the person holds. */
export function OwnBadges({ organisation }: { readonly organisation: string }) {
  const badges = useQuery(query(listOwnBadges, { limit: 100 }))
  return (
    <Card title={say.badges}>
      <Loaded query={badges} lines={1}>
        {({ docs }) => {
          const own = docs.filter((one) => one.organisation === organisation)
          return own.length === 0 ? (
            <Text size="sm" c="dimmed">
              {say.noBadges}
            </Text>
          ) : (
            <Group gap="lg">
              {own.map(({ badgeId, name, issuerName, issuedOn }) => (
                <Group key={`${badgeId}-${issuedOn}`} gap="sm" wrap="nowrap">
                  <ThemeIcon size={40} radius="xl" variant="light" aria-hidden>
                    <Award size={20} />
                  </ThemeIcon>
                  <div>
                    <Text fw={600}>{name}</Text>
                    <Text size="xs" c="dimmed">
                      {say.badgeBy(issuerName)}, <Time at={issuedOn} />
                    </Text>
                  </div>
                </Group>
              ))}
            </Group>
          )
        }}
      </Loaded>
    </Card>
  )
}
