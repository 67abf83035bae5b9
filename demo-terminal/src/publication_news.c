#include "publication_news.h"

bool publication_is_priority_only(const publication_counts *before, const publication_counts *now)
{
    return now->priority_rows != before->priority_rows && now->frames == before->frames &&
           now->transitions == before->transitions;
}
