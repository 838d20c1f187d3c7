import { Anchor, Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type CourseDocument, readPackage } from '../../api/operations.ts'
import { query } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Download, Replace } from '../../parts/icons.tsx'
import { Item, Items } from '../../parts/items.tsx'
import { TextLink } from '../../parts/link.tsx'
import { sayKind } from '../packages/package-report.tsx'
import { packageWords } from '../packages/words.ts'
import { packagesIn } from './package-changes.ts'

const { course: say, lesson: lessonWords } = packageWords

interface CoursePackagesProps {
  readonly doc: CourseDocument
  readonly onReplace: (packageId: string) => void
}

/** Lists the packages that lessons of a course show. Renders nothing if there are none. */
export function CoursePackages({ doc, onReplace }: CoursePackagesProps) {
  const packages = [...packagesIn(doc)]
  if (packages.length === 0) return null
  return (
    <Card title={packageWords.title} isFlush>
      <Text size="sm" c="dimmed" px={20} pb="sm">
        {say.text}
      </Text>
      <Items label={packageWords.title}>
        {packages.map(([packageId, count]) => (
          <UsedPackage
            key={packageId}
            packageId={packageId}
            organisation={doc.organisation}
            count={count}
            onReplace={() => onReplace(packageId)}
          />
        ))}
      </Items>
    </Card>
  )
}

interface UsedPackageProps {
  readonly packageId: string
  readonly organisation: string
  readonly count: number
  readonly onReplace: () => void
}

function UsedPackage({ packageId, organisation, count, onReplace }: UsedPackageProps) {
  const { data, isError } = useQuery(query(readPackage, { packageId }))
  const title = data?.title ?? packageId
  return (
    <Item
      title={
        data ? (
          <TextLink to="/dashboard/packages/$organisation/$packageId" params={{ organisation, packageId }}>
            {title}
          </TextLink>
        ) : (
          title
        )
      }
      sub={[data && sayKind(data), say.count(count), isError && lessonWords.missing].filter(Boolean).join(' · ')}
      action={
        <Group gap="sm">
          {data && (
            <Anchor href={data.url} size="sm" aria-label={lessonWords.downloadNamed(title)}>
              <Download size={14} aria-hidden /> {lessonWords.download}
            </Anchor>
          )}
          <Button
            size="xs"
            variant="default"
            leftSection={<Replace size={14} aria-hidden />}
            aria-label={say.replaceNamed(title)}
            onClick={onReplace}
          >
            {say.replace}
          </Button>
        </Group>
      }
    />
  )
}
